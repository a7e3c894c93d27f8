import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { openDatabase } from '#store/database/database.ts'
import { pageUrl, visit, writeSite } from '#tests/support/visitors/plain-sites.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { activate, changeHandle, deactivate } from './support/account-admin.ts'
import { createSession, deleteRecord, type PdsAccount } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// What visitors get when an account goes away, comes back, or becomes another, on real servers.

let world: World
beforeAll(async () => {
  world = await startWorld()
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

/** An account that has signed in here, with one site that is live and was visited. */
async function accountWithSite(
  handle: string,
): Promise<{ account: PdsAccount; client: AppClient; show: () => Promise<string | number> }> {
  const client = await world.signedIn(handle)
  const account = await createSession(world.network.pds, handle, 'hunter2pass')
  await writeSite(account, 'blog', { 'index.html': `of ${handle}` })
  const show = () => visit(pageUrl(world.app, account.did, 'blog'))
  await eventually(async () => expect(await show()).toBe(`of ${handle}`))
  return { account, client, show }
}

test('what happened to an account while the service was down is seen after its start', async () => {
  const { account, show } = await accountWithSite('alice.test')
  await world.restart({}, async () => void (await deactivate(account)))
  await eventually(async () => expect(await show()).toBe(404))
  await world.restart({}, async () => void (await activate(account)))
  await eventually(async () => expect(await show()).toBe('of alice.test'))
})

test('a changed handle is known, and the site stays', async () => {
  const { account, client, show } = await accountWithSite('bob.test')
  await changeHandle(account, 'robert.test')
  await eventually(async () => {
    const info = (await (await client.fetch('/api/user/info')).json()) as { handle: string }
    expect(info.handle).toBe('robert.test')
  })
  expect(await show()).toBe('of bob.test')
})

describe('POST /api/user/sync', () => {
  const sync = async (client: AppClient) =>
    await (await client.fetch('/api/user/sync', { method: 'POST' })).json()

  test('counts what is up to date, and names what is not', async () => {
    const { account, client } = await accountWithSite('alice.test')
    await writeSite(account, 'shop', { 'index.html': 'the shop' })
    expect(await sync(client)).toEqual({ success: true, synced: 2, errors: [] })
    expect(await visit(pageUrl(world.app, account.did, 'shop'))).toBe('the shop')

    await writeSite(account, 'broken', { '..': 'no name for a file' })
    expect(await sync(client)).toMatchObject({
      success: false,
      synced: 2,
      errors: [{ rkey: 'broken', error: expect.stringContaining('This version is refused: ') }],
    })
  })

  test('of an account that is not active: 409', async () => {
    const { account, client } = await accountWithSite('alice.test')
    await deactivate(account)
    const answer = await client.fetch('/api/user/sync', { method: 'POST' })
    expect(answer.status).toBe(409)
    await activate(account)
  })
})

test('what happened behind a gap in the firehose is looked up: a change, a new site, a removal', async () => {
  const { account, show } = await accountWithSite('alice.test')
  await writeSite(account, 'old', { 'index.html': 'old' })
  const showAt = (site: string) => visit(pageUrl(world.app, account.did, site))
  await eventually(async () => expect(await showAt('old')).toBe('old'))
  await world.restart({}, async () => {
    await writeSite(account, 'blog', { 'index.html': 'changed' })
    await writeSite(account, 'new', { 'index.html': 'new' })
    await deleteRecord(account, 'place.sitehost.fs', 'old')
    await using database = openDatabase({ file: join(world.dataDir, 'sitehost.db') })
    const cursors = await database.db.updateTable('firehoseCursors').set({ cursor: 9e12 }).execute()
    expect(cursors[0]?.numUpdatedRows).toBe(1n)
  })
  await eventually(async () => {
    expect([await show(), await showAt('new'), await showAt('old')]).toEqual([
      'changed',
      'new',
      404,
    ])
  })
  await writeSite(account, 'blog', { 'index.html': 'followed again' })
  await eventually(async () => expect(await show()).toBe('followed again'))
}, 120_000)
