import { afterAll, beforeAll, expect, test } from 'bun:test'
import { startPreview } from '#tests/support/processes/preview.ts'
import { pageUrl, visit, writeSite } from '#tests/support/visitors/plain-sites.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { activate, deactivate, deleteAccount, takeDown } from './support/account-admin.ts'
import { createSession, type PdsAccount, putRecord } from './support/accounts.ts'
import { eventually, withinASecond } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// What is promised within a second, on real servers. Names and domains: `conformance/edge-at-once`.

let world: World
beforeAll(async () => {
  world = await startWorld()
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

interface Owner {
  readonly account: PdsAccount
  readonly client: AppClient
  /** What visitors of the site `blog` get at this path. */
  readonly show: (path?: string) => Promise<string | number>
}

/** An account that has signed in here, with one site that is live and was visited. */
async function ownerOfSite(handle: string): Promise<Owner> {
  const client = await world.signedIn(handle)
  const account = await createSession(world.network.pds, handle, 'hunter2pass')
  await writeSite(account, 'blog', { 'index.html': 'home', 'about.html': 'about' })
  const show = (path = '') => visit(new URL(path, pageUrl(world.app, account.did, 'blog')))
  await eventually(async () => expect(await show()).toBe('home'))
  return { account, client, show }
}

async function send(client: AppClient, method: string, path: string, body?: object) {
  const init = { method, ...(body && { body: JSON.stringify(body) }) }
  expect((await client.fetch(path, init)).status).toBe(200)
}

test('what an owner, another program or the account’s server changes is what visitors get', async () => {
  const { account, client, show } = await ownerOfSite('alice.test')
  const becomes = (expected: string | number, path?: string) =>
    withinASecond(async () => expect(await show(path)).toBe(expected))

  await writeSite(account, 'blog', { 'index.html': 'changed', 'about.html': 'about' })
  await becomes('changed')
  expect(await show('about')).toBe(404)
  await send(client, 'POST', '/api/site/blog/settings', { cleanUrls: true })
  await becomes('about', 'about')
  const settings = 'place.sitehost.settings'
  await putRecord(account, settings, 'blog', { $type: settings, cleanUrls: false })
  await becomes(404, 'about')
  await deactivate(account)
  await becomes(404)
  await activate(account)
  await becomes('changed')
  // Deactivating ended her sessions.
  await send(await world.signedIn('alice.test'), 'DELETE', '/api/site/blog')
  await becomes(404)
})

test('an account that is taken down is hidden, and back when that is taken back; leaving ends all', async () => {
  const { account, show } = await ownerOfSite('bob.test')
  await takeDown(world.network, account.did, true)
  await withinASecond(async () => expect(await show()).toBe(404))
  await takeDown(world.network, account.did, false)
  await withinASecond(async () => expect(await show()).toBe('home'))
  await send(await world.signedIn('bob.test'), 'DELETE', '/api/user')
  await withinASecond(async () => expect(await show()).toBe(404))
})

test('an account that is deleted is hidden', async () => {
  const { account, show } = await ownerOfSite('carol.test')
  await deleteAccount(world.network, account.did)
  await withinASecond(async () => expect(await show()).toBe(404))
})

test('a preview ends', async () => {
  await using preview = await startPreview({ 'index.html': 'x' }, { args: ['--watch'] })
  process.kill(preview.process.pid, 'SIGTERM')
  let isOver = false
  void preview.process.exited.then(() => {
    isOver = true
  })
  await withinASecond(async () => expect(isOver).toBe(true))
})
