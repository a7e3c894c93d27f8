import { afterEach, beforeEach, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { accountWork } from '#ingest/account-work.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { runWork } from '#ingest/run-work.ts'
import { syncAccount } from '#ingest/sync-account.ts'
import {
  dropLeastVisited,
  droppedStoredMs,
  QuotaExceededError,
  VisitedQuota,
  visitedAccountsMax,
} from '#ingest/visited-quota.ts'
import { isKnownAccount, upsertAccount } from '#store/accounts/accounts.ts'
import { rememberVisited, touchVisited, visitedUsage } from '#store/lifecycle/visited-accounts.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { findSite } from '#store/sites/sites.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { eventually } from '../support/eventually.ts'

const bytesMax = 10_000

let place: IngestPlace
let visitedQuota: VisitedQuota
beforeEach(async () => {
  place = await openIngestPlace()
  const { db, now } = place.context
  visitedQuota = new VisitedQuota({ db, bytesMax, now })
  await rememberVisited(db, alice, place.now)
})
afterEach(() => place[Symbol.asyncDispose]())

const drop = (visitedBytesMax = bytesMax) => dropLeastVisited({ ...place.context, visitedBytesMax })
const sync = () => syncAccount(alice, { ...place.context, visitedQuota })
const isHere = async (name: string) => (await findSite(place.context.db, siteOf(name))) !== null
/** Of sites that are here, what describes them included. */
const taken = async () => (await visitedUsage(place.context.db, 0)).bytes
const page = (bytes: number) => ({ 'index.html': 'x'.repeat(bytes) })

test('a site within the quota is ingested, up to the last byte', async () => {
  await place.write('one', page(4_000))
  await sync()
  await place.write('two', page(bytesMax - (await taken())))
  const outcome = await ingestSite(siteOf('two'), { ...place.context, visitedQuota })
  expect(outcome).toBe('went-live')
})

test('one byte more is not: it stays queued, and nothing of it is fetched', async () => {
  await place.write('one', page(4_000))
  await sync()
  await place.write('two', page(bytesMax - (await taken()) + 1))
  await expect(ingestSite(siteOf('two'), { ...place.context, visitedQuota })).rejects.toThrow(
    QuotaExceededError,
  )
  expect(await sync()).toMatchObject({ synced: 1, errors: [{ rkey: 'two' as never }] })
  expect(await isHere('two')).toBe(false)
  expect(place.pds.requests.filter((path) => path.includes('getBlob'))).toHaveLength(1)
})

test('several that arrive at once share the quota', async () => {
  const holds = await Promise.allSettled(
    [4_000, 4_000, 4_000].map((bytes) => visitedQuota.reserve(alice, () => bytes)),
  )
  expect(holds.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  for (const held of holds) if (held.status === 'fulfilled') held.value[Symbol.dispose]()
  using _ = await visitedQuota.reserve(alice, () => bytesMax)
})

test('a failed query leaves nothing reserved', async () => {
  let isFailing = true
  const now = (): number => {
    if (isFailing) throw new Error('database failed')
    return place.now
  }
  const quota = new VisitedQuota({ db: place.context.db, bytesMax, now })
  await expect(quota.reserve(alice, () => bytesMax)).rejects.toThrow('database failed')
  isFailing = false
  using _ = await quota.reserve(alice, () => bytesMax)
})

test('accounts go when three quarters are taken, and their bytes count until they are gone', async () => {
  await place.write('one', page(6_500))
  await sync()
  expect(await drop()).toBe(0)
  await place.write('more', page(900))
  await sync()
  expect(await drop()).toBe(1)
  expect(await isHere('one')).toBe(false)

  await rememberVisited(place.context.db, alice, place.now)
  using _ = await visitedQuota.reserve(alice, () => bytesMax)
})

test('while the bytes of somebody who was dropped are stored, others find less quota', async () => {
  const other = siteOf('blog', 'did:web:other.example' as never).did
  await place.write('one', page(8_000))
  await sync()
  await drop()
  await rememberVisited(place.context.db, other, place.now)
  await expect(visitedQuota.reserve(other, () => 2_001)).rejects.toThrow(QuotaExceededError)
  place.now += droppedStoredMs + 1
  using _ = await visitedQuota.reserve(other, () => bytesMax)
})

test('accounts that somebody visits stay, others go first', async () => {
  const { db } = place.context
  const others = ['did:web:a.example', 'did:web:b.example'] as never[]
  for (const did of others) {
    await rememberVisited(db, did, place.now - 10)
    await upsertAccount(db, { did }, place.now - 10)
  }
  await place.write('one', page(7_501))
  await sync()
  await touchVisited(db, [others[0] as never], place.now + 1)
  expect(await drop()).toBe(2)
  expect(await isHere('one')).toBe(false)
})

/** Everybody goes while this request of a look is answered. */
function dropDuring(method: string): typeof place.context {
  const { fetch } = place.context
  return {
    ...place.context,
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (String(input).includes(method)) await drop(0)
      return response
    },
  }
}

test.each(['getRepoStatus', 'listRecords', 'getRecord', 'getBlob'])(
  'dropped while its server answers %s, an account leaves nothing behind',
  async (method) => {
    const { db } = place.context
    const kept = async () => ({
      known: await isKnownAccount(db, alice),
      blog: await isHere('blog'),
    })
    await place.write('blog')
    await syncAccount(alice, { ...dropDuring(method), visitedQuota })
    expect(await kept()).toEqual({ known: false, blog: false })
    expect(await taken()).toBe(0)

    await rememberVisited(db, alice, place.now)
    await sync()
    expect(await kept()).toEqual({ known: true, blog: true })
    await place.write('blog', page(100))
    await syncAccount(alice, { ...dropDuring(method), visitedQuota })
    expect(await kept()).toEqual({ known: false, blog: false })
  },
)

test('nor does one that is away just then', async () => {
  const { db } = place.context
  place.pds.lies.status = () => Response.json({ error: 'RepoDeactivated' }, { status: 400 })
  await enqueueAccounts(place.context, [alice], { isUrgent: true })
  const context = dropDuring('getRepoStatus')
  const running = runWork([accountWork(context)], context)
  await eventually(async () => expect(place.logged).toContain('account checked'))
  place.stop.abort()
  await running
  expect(await isKnownAccount(db, alice)).toBe(false)
})

test('with a quota of zero, everybody who was only visited goes', async () => {
  await place.write('one')
  await sync()
  expect(await drop(0)).toBe(1)
  expect(await isHere('one')).toBe(false)
})

test('who is known for another reason needs no quota', async () => {
  for (const name of ['one', 'two']) await place.write(name, { 'index.html': name.repeat(3_000) })
  await place.context.db.deleteFrom('visitedAccounts').execute()
  expect(await sync()).toMatchObject({ synced: 2, errors: [] })
})

test('names of files count too, where the files are one and the same', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [`${'n'.repeat(200)}-${i}.html`, 'x']),
  )
  await place.write('one', files)
  expect(await sync()).toMatchObject({ synced: 1 })
  expect(await drop()).toBe(1)
})

test('a blob that decodes to nothing counts with its bytes on the disk', async () => {
  await place.write('one', { 'index.html': 'x' })
  const blob = place.pds.addBlob(emptyGzip(8_000))
  const node = { type: 'file', blob, encoding: 'gzip', mimeType: 'text/html' }
  await place.pds.putRecord('place.sitehost.fs/one', {
    $type: 'place.sitehost.fs',
    site: 'one',
    root: { type: 'directory', entries: [{ name: 'index.html', node }] },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  expect(await sync()).toMatchObject({ synced: 1 })
  expect(await drop()).toBe(1)
})

/** Of stored blocks without content (RFC 1951 §3.2.4), the last one marked as such. */
function emptyGzip(bytes: number): Buffer {
  const header = gzipSync('').subarray(0, 10)
  const block = Buffer.from([0, 0, 0, 255, 255])
  const blocks = Buffer.concat(Array<Buffer>(Math.ceil(bytes / 5)).fill(block))
  return Buffer.concat([header, blocks, Buffer.from([1, 0, 0, 255, 255]), Buffer.alloc(8)])
}

test('more accounts than anybody looks through do not stay, whatever they take', async () => {
  const { db, now } = place.context
  const strangers = Array.from({ length: visitedAccountsMax }, (_, i) => ({
    did: `did:web:${i}.example` as never,
    visitedAt: now() - 1,
    droppedAt: null,
    droppedBytes: 0,
  }))
  for (let i = 0; i < strangers.length; i += 1000) {
    await db
      .insertInto('visitedAccounts')
      .values(strangers.slice(i, i + 1000))
      .execute()
  }
  expect(await drop()).toBe(1)
  expect((await visitedUsage(db, 0)).accounts).toBe(visitedAccountsMax)
})
