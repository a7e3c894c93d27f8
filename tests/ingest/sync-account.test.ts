import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Identities, IdentityError } from '#atproto/identity/identity.ts'
import { repairSite } from '#ingest/repair-site.ts'
import { syncAccount } from '#ingest/sync-account.ts'
import { ServerRefusedError, UnusableAnswerError } from '#outbound/server-errors.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { findAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { readChanges } from '#store/database/changes.ts'
import { forgetRemovedSites } from '#store/sites/remove-site.ts'
import { findSite } from '#store/sites/sites.ts'
import { alice, removedSites, siteOf } from '#tests/support/database/sample-rows.ts'
import { countIngest } from '#tests/support/publishing/count-ingest.ts'
import {
  type IngestPlace,
  manifestOf,
  openIngestPlace,
} from '#tests/support/publishing/ingest-place.ts'
import { startFakePds } from '#tests/support/servers/fake-pds.ts'
import { findServedSite } from '#tests/support/visitors/find-served-site.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice, handle: 'alice.test' }, 1)
})
afterEach(() => place[Symbol.asyncDispose]())

const sync = () => syncAccount(alice, place.context)
const account = () => findAccount(place.context.db, alice)
const isShown = async (name: string) =>
  (await findServedSite(place.context.db, siteOf(name))) !== null
const liveCid = async (name: string) =>
  (await findSite(place.context.db, siteOf(name)))?.live?.recordCid

test('every site of the account goes live, however many pages they take', async () => {
  const names = Array.from({ length: 45 }, (_, i) => `site-${i}`)
  for (const name of names) await place.write(name)
  expect(await sync()).toEqual({ status: 'active', synced: 45, errors: [] })
  for (const name of names) expect(await isShown(name)).toBe(true)
})

test('a site that is gone from the repository is gone here', async () => {
  await place.write('blog')
  await sync()
  place.pds.deleteRecord('place.sitehost.fs/blog')
  expect(await sync()).toEqual({ status: 'active', synced: 0, errors: [] })
  expect(await isShown('blog')).toBe(false)
})

test('a version that is refused is an error with its problems, the others are synced', async () => {
  await place.write('good')
  await place.write('bad', { '..': 'x' })
  const { synced, errors } = await sync()
  expect(synced).toBe(1)
  expect(errors).toEqual([
    { rkey: siteOf('bad').name, error: expect.stringContaining('This version is refused: ') },
  ])
})

test('a site for which the account has no room is an error, and leaves no trace', async () => {
  const { db } = place.context
  await db.insertInto('sites').values(removedSites(1000)).execute()
  await place.write('blog')
  expect(await findSite(db, siteOf('blog'))).toBeNull()
  expect((await repairSite(siteOf('blog'), place.context)).findings).toEqual([
    {
      what: 'An account can have 1000 sites here. Delete one; a day after that there is room for another.',
      isRepaired: false,
    },
  ])
  await forgetRemovedSites(db, 2)
  expect(await sync()).toEqual({ status: 'active', synced: 1, errors: [] })
})

test('a site whose blobs do not come is an error, and stays queued', async () => {
  await place.write('blog')
  place.pds.lies.blob = () => new Response('', { status: 500 })
  const { synced, errors } = await sync()
  expect({ synced, errors: errors.length }).toEqual({ synced: 0, errors: 1 })
  expect(errors[0]?.error).not.toContain('http')
  expect(await countIngest(place.context.db)).toBe(1)
})

describe('what the account’s own server says of it', () => {
  const states: [string, () => Response, string][] = [
    ['deactivated', () => inactive('deactivated'), 'deactivated'],
    ['taken down', () => inactive('takendown'), 'takendown'],
    ['suspended', () => inactive('suspended'), 'suspended'],
    ['deleted', () => inactive('deleted'), 'deleted'],
    ['inactive for a reason of the future', () => inactive('resting'), 'deactivated'],
    ['inactive for no reason', () => inactive(), 'deactivated'],
    ['not known there', () => refusal('RepoNotFound'), 'deleted'],
    ['taken down, as older servers say it', () => refusal('RepoTakendown'), 'takendown'],
    ['deactivated, likewise', () => refusal('RepoDeactivated'), 'deactivated'],
    ['suspended, likewise', () => refusal('RepoSuspended'), 'suspended'],
  ]
  test.each(states)('%s: hidden, and told to the edge', async (_, answer, status) => {
    await place.write('blog')
    await sync()
    const told = (await readChanges(place.context.db, 0)).length
    place.pds.lies.status = answer
    expect(await sync()).toMatchObject({ status, synced: 0, errors: [] })
    expect(await isShown('blog')).toBe(false)
    expect(await readChanges(place.context.db, 0)).toHaveLength(told + 1)
    delete place.pds.lies.status
    await sync()
    expect(await isShown('blog')).toBe(true)
  })

  const noAnswers: [string, () => Response][] = [
    ['a fault', () => refusal('InternalServerError', 500)],
    ['a fault that sounds like an answer', () => refusal('RepoNotFound', 502)],
    ['a page of a gateway', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
    ['an error that we do not know', () => refusal('RateLimitExceeded', 429)],
    ['another account', () => Response.json({ did: 'did:plc:other', active: false })],
    ['no account', () => Response.json({ active: false })],
    ['words for a truth', () => Response.json({ did: alice, active: 'false' })],
    ['no object', () => Response.json(null)],
    ['no JSON', () => new Response('yes')],
    ['too much', () => Response.json({ did: alice, active: false, more: 'x'.repeat(100_000) })],
  ]
  test.each(noAnswers)('%s: nothing changes', async (_, answer) => {
    await place.write('blog')
    await sync()
    place.pds.lies.status = answer
    const error = await sync().catch((error) => error)
    expect(error).toBeOneOf([expect.any(ServerRefusedError), expect.any(UnusableAnswerError)])
    expect(await isShown('blog')).toBe(true)
    expect(await account()).toMatchObject({ status: 'active' })
  })
})

const inactive = (status?: string): Response =>
  Response.json({ did: alice, active: false, ...(status && { status }) })

const refusal = (error: string, status = 400): Response => Response.json({ error }, { status })

describe('the directory of accounts', () => {
  test('a DID that was buried there: deleted', async () => {
    await place.write('blog')
    await sync()
    place.pds.lies.document = () => new Response('{}', { status: 410 })
    expect(await sync()).toMatchObject({ status: 'deleted' })
    expect(await isShown('blog')).toBe(false)
  })

  test('one that it does not know, or that it cannot tell: nothing changes', async () => {
    await place.write('blog')
    await sync()
    for (const status of [404, 500]) {
      place.pds.lies.document = () => new Response('{}', { status })
      await expect(sync()).rejects.toBeInstanceOf(IdentityError)
    }
    expect(await isShown('blog')).toBe(true)
  })
})

describe('moved to another server, with another key', () => {
  test('its sites are read there, and its server is known', async () => {
    await place.write('blog', { 'index.html': 'of the old one' })
    await sync()
    await using next = await startFakePds(alice)
    // A repository comes along as a whole; its revisions go on where they were.
    for (let i = 0; i < 3; i++) await next.putRecord('com.example.note/x', { i })
    const files = { 'index.html': 'of the new one' }
    const moved = await next.putRecord('place.sitehost.fs/blog', manifestOf('blog', files, next))
    const document = await (await fetch(`${next.url}/${alice}`)).json()
    place.pds.lies.document = () => document
    place.pds.lies.status = () => refusal('RepoNotFound')
    expect(await sync()).toEqual({ status: 'active', synced: 1, errors: [] })
    expect(await liveCid('blog')).toBe(moved)
    expect(await account()).toMatchObject({ pds: next.url, handle: null })
  })

  test('what the old key signed does not go live any more', async () => {
    const old = await place.write('blog', { 'index.html': 'before' })
    await sync()
    await using next = await startFakePds(alice)
    const { verificationMethod } = await (await fetch(`${next.url}/${alice}`)).json()
    place.pds.lies.document = (honest) => ({ ...honest, verificationMethod })
    await place.write('blog', { 'index.html': 'by the old key' })
    expect(await sync()).toMatchObject({ synced: 0, errors: [{ rkey: siteOf('blog').name }] })
    expect(await liveCid('blog')).toBe(old)
  })
})

describe('an account that is not known', () => {
  test('is known when it has a site', async () => {
    await place.context.db.deleteFrom('accounts').execute()
    expect(await sync()).toMatchObject({ status: 'active', synced: 0 })
    expect(await account()).toBeNull()
    await place.write('blog')
    await sync()
    expect(await account()).toMatchObject({ pds: place.pds.url, status: 'active' })
  })

  test('leaves no trace when it is not active', async () => {
    await place.context.db.deleteFrom('accounts').execute()
    place.pds.lies.status = () => inactive('takendown')
    await sync()
    expect(await account()).toBeNull()
  })
})

test('a handle that cannot be looked up stays', async () => {
  using silent = Bun.serve({ port: 0, fetch: () => new Response('', { status: 500 }) })
  const identities = new Identities({
    fetch: place.context.fetch,
    plcUrl: place.pds.url,
    handleResolverUrl: silent.url.origin,
    allowHttp: true,
  })
  place.pds.lies.document = (honest) => ({ ...honest, alsoKnownAs: ['at://alice.test'] })
  await syncAccount(alice, { ...place.context, identities })
  expect(await account()).toMatchObject({ handle: 'alice.test', pds: place.pds.url })
})

test('an account that is active again by itself needs no event to be shown', async () => {
  await place.write('blog')
  await sync()
  await setAccountStatus(place.context.db, alice, 'deactivated', 2)
  await sync()
  expect(await isShown('blog')).toBe(true)
})
