import { afterAll, beforeAll, expect, test } from 'bun:test'
import { CommandError, UsageError } from '#cli/command-error.ts'
import type { Instance } from '#cli/instance/instance.ts'
import { siteLabel, siteUri } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { placeOfWait } from './wait-place.ts'

const name = parseSiteName('blog')
if (name === null) throw new Error('the fixtures are wrong')
const site = { did: alice, name }

/** Answers of hosts, by path. */
const hosts: Readonly<Record<string, Response>> = {
  '/of-the-site': new Response('', { headers: { 'x-sitehost-record': siteUri(site) } }),
  '/of-another': new Response('', { headers: { 'x-sitehost-record': 'at://did:plc:x/y/z' } }),
  '/any-page': new Response('<h1>hello</h1>'),
  '/nothing-yet': new Response('', { status: 404 }),
}
let server: Bun.Server<undefined>
beforeAll(() => {
  const answer = ({ url }: Request) => hosts[new URL(url).pathname]?.clone() ?? Response.error()
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
})
afterAll(() => server.stop(true))

/** An instance where the account's sites are read; null: none is there. */
const applicationAt = (origin: string, sites: object | null): Instance => ({
  origin,
  async ask(_, answer) {
    if (sites === null) throw new CommandError(`${origin} answered with status 404.`)
    return answer.parse(sites)
  },
})

const asked: string[] = []
const place = (at: string, sites: object | null = null, hasAddress = false) =>
  placeOfWait(
    new URL(at, server.url),
    {
      site,
      instance: null,
      instanceAt: (origin) => applicationAt(origin, sites),
      async hasAddress(host) {
        asked.push(host)
        return hasAddress
      },
    },
    { fetch: (input, init) => fetch(input, init), signal: new AbortController().signal },
  )

test('an address of the site, and one that shows nothing yet, is where it is waited for', async () => {
  for (const at of ['/of-the-site', '/nothing-yet']) {
    expect(await place(at)).toEqual(new URL(at, server.url))
  }
})

test('a host that does not answer may come back', async () => {
  expect(await place('http://127.0.0.1:1/')).toEqual(new URL('http://127.0.0.1:1/'))
})

test('an application of a Sitehost is asked where it shows the site', async () => {
  expect(await place('/any-page', { sites: [] })).toMatchObject({ origin: server.url.origin })
})

test('a domain below which sites may be is one with an address for the site', async () => {
  const domain = new URL('/any-page', server.url)
  domain.hostname = 'localhost'
  expect(await place(domain.href, null, true)).toEqual(domain)
  expect(asked).toEqual([`${siteLabel(site)}.localhost`])
  await expect(place('/any-page', null, true)).rejects.toBeInstanceOf(UsageError)
})

test.each([
  ['/of-another', 'shows another site, at://did:plc:x/y/z.'],
  ['/any-page', 'shows no site of a Sitehost, and is not the domain below which'],
])('%s is called a mistake before anything is published', async (at, sentence) => {
  const error = await place(at).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect(error.message).toContain(sentence)
})
