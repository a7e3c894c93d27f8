import { expect, test } from 'bun:test'
import { parseTrustedProxies } from '#http/client-address.ts'
import { recordingLog } from '#tests/support/api.ts'
import { visitedSite } from '#tests/support/edge.ts'
import { createDispatch } from './dispatch.ts'

const label = `s--${'a'.repeat(26)}`
const site = visitedSite({ 'index.html': { body: 'a page' } })

const answer = createDispatch({
  application: () => new Response('the application'),
  origin: 'https://app.test',
  applicationHost: 'app.test',
  baseDomain: 'sites.test',
  front: {
    countryHeader: null,
    redirectsToHttps: true,
    trustedProxies: parseTrustedProxies('10.0.0.1') ?? [],
  },
  visits: {
    ...site.context,
    awaited: { has: async () => false },
    hosts: { get: async (host) => (host === 'own.test' ? { label, movedTo: null } : null) },
    log: recordingLog(),
    now: () => 0,
    snapshots: { get: (asked) => (asked === label ? site.known : Promise.resolve(null)) },
  },
  addresses: {
    db: null as never,
    siteUrl: () => 'unused',
    discover: undefined,
  },
})

const connections = new WeakMap<Request, string>()
const server = {
  requestIP: (request: Request) => ({ address: connections.get(request) }),
} as unknown as Bun.Server<undefined>

/** In one line: the status, and where it leads or what it says. */
async function visit(host: string, headers: Record<string, string> = {}, from = '192.0.2.1') {
  const request = new Request(`http://${host}/`, { headers: { host, ...headers } })
  connections.set(request, from)
  const response = await answer(request, server)
  const body = await response.text()
  const said = /<h1>([^<]*)/.exec(body)?.[1] ?? body
  return `${response.status} ${response.headers.get('location') ?? said}`
}

test.each([
  ['app.test', '200 the application'],
  ['APP.TEST:8080', '200 the application'],
  [`${label}.sites.test`, '200 a page'],
  ['own.test', '200 a page'],
  ['nobody.test', '404 No site here'],
  [`s--${'b'.repeat(26)}.sites.test`, '404 Not found'],
  ['sites.test', '302 https://app.test'],
  ['sites.sites.test', '400 Bad request'],
])('a visitor of %s gets %s', async (host, expected) => {
  expect(await visit(host)).toStartWith(expected)
})

test('a front says which host was asked for, and by which scheme; others are not believed', async () => {
  const asked = { 'x-forwarded-host': 'own.test', 'x-forwarded-proto': 'https' }
  expect(await visit('app.test', asked, '10.0.0.1')).toBe('200 a page')
  expect(await visit('app.test', asked)).toBe('200 the application')
  const byHttp = { ...asked, 'x-forwarded-proto': 'http' }
  expect(await visit('app.test', byHttp, '10.0.0.1')).toBe('308 https://own.test/')
  expect(await visit('app.test', byHttp)).toBe('200 the application')
})
