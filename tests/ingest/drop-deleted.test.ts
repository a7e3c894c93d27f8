import { afterEach, beforeEach, expect, test } from 'bun:test'
import { collectGarbage, garbageKeptMs } from '#ingest/blobs/collect-garbage.ts'
import { checkAccount } from '#ingest/check-account.ts'
import { deletedKeptMs, dropDeletedAccounts } from '#ingest/drop-deleted.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { claimSubdomain, findSubdomain } from '#store/names/subdomains.ts'
import { findSite } from '#store/sites/sites.ts'
import { listVersions } from '#store/sites/versions.ts'
import { alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { findServedSite } from '#tests/support/visitors/find-served-site.ts'

const blog = siteOf('blog')
const name = 'alice.sites.test'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  const { db } = place.context
  await upsertAccount(db, { did: alice }, place.now)
  await upsertAccount(db, { did: bob }, place.now)
  await place.write('blog', { 'index.html': 'page' })
  await ingestSite(blog, place.context)
  await claimSubdomain(db, { did: alice, domain: name }, { now: place.now, subdomainsMax: 3 })
  place.pds.lies.status = () => Response.json({ error: 'RepoNotFound' }, { status: 400 })
  await setAccountStatus(db, alice, 'deleted', place.now)
})
afterEach(() => place[Symbol.asyncDispose]())

const drop = () => dropDeletedAccounts(place.context)
const account = () => findAccount(place.context.db, alice)

test('a deleted account is hidden for a month, and then nothing of it is left', async () => {
  const { db, blobs } = place.context
  place.now += deletedKeptMs
  expect(await drop()).toBe(0)
  expect(await findServedSite(db, blog)).toBeNull()
  expect(await findSite(db, blog)).not.toBeNull()

  place.now += 1
  expect(await drop()).toBe(1)
  expect(await account()).toBeNull()
  expect(await findSite(db, blog)).toBeNull()
  expect(await listVersions(db, blog)).toEqual([])
  expect(await findSubdomain(db, name)).toBeNull()
  expect(await findAccount(db, bob)).not.toBeNull()
  expect(await drop()).toBe(0)

  await collectGarbage(place.context)
  place.now += garbageKeptMs + 1
  await collectGarbage(place.context)
  expect(await Array.fromAsync(blobs.list())).toEqual([])
})

test('one that has come back unheard is shown again', async () => {
  delete place.pds.lies.status
  place.now += deletedKeptMs + 1
  expect(await drop()).toBe(0)
  expect(await account()).toMatchObject({ status: 'active' })
  expect(await findServedSite(place.context.db, blog)).not.toBeNull()
})

test('one that somebody else has found back meanwhile stays', async () => {
  const { context } = place
  place.now += deletedKeptMs + 1
  let asks = 0
  const dropped = await dropDeletedAccounts({
    ...context,
    fetch: async (input, init) => {
      const response = await context.fetch(input, init)
      if (String(input).includes('getRepoStatus') && ++asks === 1) {
        delete place.pds.lies.status
        await checkAccount(alice, context)
      }
      return response
    },
  })
  expect(dropped).toBe(0)
  expect(await account()).toMatchObject({ status: 'active' })
  expect(await findServedSite(context.db, blog)).not.toBeNull()
})

test('one whose server is away for good goes all the same', async () => {
  place.pds.lies.document = () => new Response('', { status: 503 })
  place.now += deletedKeptMs + 1
  expect(await drop()).toBe(1)
})

test('a month is counted from the deletion, not from the last look', async () => {
  const { db } = place.context
  place.now += deletedKeptMs / 2
  await setAccountStatus(db, alice, 'deleted', place.now)
  await upsertAccount(db, { did: alice, handle: null }, place.now)
  place.now += deletedKeptMs / 2 + 1
  expect(await drop()).toBe(1)
})

test('other accounts that are not active stay', async () => {
  const { db } = place.context
  for (const status of ['deactivated', 'takendown', 'suspended'] as const) {
    await setAccountStatus(db, alice, status, place.now)
    place.now += 10 * deletedKeptMs
    expect(await drop()).toBe(0)
  }
})
