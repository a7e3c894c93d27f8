import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Did, siteLabel } from '#site/site-address.ts'
import { nameOf } from '#tests/support/database/sample-rows.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { deleteRecord, type PdsAccount, putRecord } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorldOfAlice, type World } from './support/world.ts'

// What the owner says about serving a site reaches its visitors, whoever wrote it down.

const settings = 'place.sitehost.settings'

let world: World
let alice: AppClient
let repo: PdsAccount
beforeAll(async () => {
  ;({ world, alice, repo } = await startWorldOfAlice())
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const publish = (site: string, files: Record<string, string>) =>
  alice.publish(
    site,
    Object.entries(files).map(([path, body]) => ({ path, body: new Blob([body]) })),
  )

async function save(site: string, body: object): Promise<void> {
  const init = { method: 'POST', body: JSON.stringify(body) }
  const response = await alice.fetch(`/api/site/${site}/settings`, init)
  expect(response.status).toBe(200)
}

async function visit(site: string, path: string): Promise<Response> {
  const url = new URL(path, world.app)
  url.hostname = `${siteLabel({ did: repo.did as Did, name: nameOf(site) })}.localhost`
  return await fetch(url, { redirect: 'manual' })
}

const statusOf = async (site: string, path: string) => (await visit(site, path)).status

/** That `path` comes to have this status, soon after what was done last. */
const becomes = (status: number, site: string, path: string) =>
  eventually(async () => expect(await statusOf(site, path)).toBe(status))

async function problems(site: string): Promise<string[] | undefined> {
  const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as {
    sites: { rkey: string; problems: string[] }[]
  }
  return sites.find(({ rkey }) => rkey === site)?.problems
}

test('settings that were saved count', async () => {
  await publish('saved', { 'about.html': 'about' })
  expect(await statusOf('saved', '/about')).toBe(404)
  await save('saved', { cleanUrls: true })
  await becomes(200, 'saved', '/about')
  await save('saved', { cleanUrls: false })
  await becomes(404, 'saved', '/about')
})

test('settings that another program writes and removes count, too', async () => {
  await publish('foreign', { 'about.html': 'about' })
  await putRecord(repo, settings, 'foreign', { $type: settings, cleanUrls: true })
  await becomes(200, 'foreign', '/about')
  await deleteRecord(repo, settings, 'foreign')
  await becomes(404, 'foreign', '/about')
})

test('settings that were there first count from the start', async () => {
  await putRecord(repo, settings, 'early', { $type: settings, cleanUrls: true })
  await publish('early', { 'about.html': 'about' })
  expect(await statusOf('early', '/about')).toBe(200)
})

test('wrong settings of another program leave the site as without them, and the owner sees why', async () => {
  await publish('wrong', { 'about.html': 'about' })
  await putRecord(repo, settings, 'wrong', { $type: settings, cleanUrls: 'yes' })
  await eventually(async () => {
    expect(await problems('wrong')).toEqual([
      expect.stringMatching(/^the settings are not used: cleanUrls: /),
    ])
  })
  expect(await statusOf('wrong', '/about.html')).toBe(200)
  await save('wrong', { cleanUrls: true })
  await becomes(200, 'wrong', '/about')
  expect(await problems('wrong')).toEqual([])
})

test('_redirects and _headers of a folder count; what is wrong in them is told by line', async () => {
  await publish('ruled', {
    'index.html': 'home',
    _redirects: '/old /\n/bad /x 999\n',
    _headers: '/*\n  X-One: 1\n  Content-Length: 7\n',
  })
  const moved = await visit('ruled', '/old')
  expect([moved.status, moved.headers.get('location')]).toEqual([301, '/'])
  expect((await visit('ruled', '/')).headers.get('x-one')).toBe('1')
  expect(await statusOf('ruled', '/_redirects')).toBe(404)
  expect(await problems('ruled')).toEqual([
    expect.stringMatching(/^_redirects, line 2: /),
    expect.stringMatching(/^_headers, line 3: /),
  ])
})
