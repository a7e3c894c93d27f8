import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountRepo, ListedRecord } from '#atproto/repo/account-repo.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { Lane } from '#concurrency/lane.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SitePath } from '#site/path.ts'
import type { Database } from '#store/database/database.ts'
import { memoryDatabase } from '#tests/support/databases.ts'
import { eventually } from '#tests/support/eventually.ts'
import { noPause, refusal } from '#tests/support/fake-repo.ts'
import { alice, siteOf } from '#tests/support/sample-rows.ts'
import { storedLedger } from './contents/stored-ledger.ts'
import type { BaseChanges } from './files-of-base.ts'
import { type PublishJob, type PublishOutcome, publishSite } from './publish-site.ts'

let dir: string
let database: Database
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'publish-site-'))
  database = await memoryDatabase()
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const recordCount = 500
/** Of each record that was read: whether anybody holds it. */
let read: WeakRef<object>[]
const held = (): number => {
  Bun.gc(true)
  return read.filter((each) => each.deref() !== undefined).length
}

/** A repository of many records, whose server takes a blob as `upload` says. */
function repoOf(upload: () => Promise<void>): AccountRepo {
  read = []
  const recordOf = (n: number): ListedRecord => {
    const value = { root: { entries: [{ n }] } }
    read.push(new WeakRef(value))
    return { rkey: `site-${n}`, cid: `cid-${n}`, value }
  }
  const repo: Partial<AccountRepo> = {
    did: alice,
    latestCommit: async () => 'head',
    blobUploadBytesMax: async () => null,
    findRecord: async () => null,
    async listRecords(collection) {
      const isSites = collection === 'place.sitehost.fs'
      return isSites ? Array.from({ length: recordCount }, (_, n) => recordOf(n)) : []
    },
    async uploadBlob() {
      await upload()
      const $link = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
      return { $type: 'blob', ref: { $link }, mimeType: 'application/octet-stream', size: 5 }
    },
  }
  return repo as AccountRepo
}

/** Publishes one file to this repository, in this lane; somebody cancels it before it writes. */
async function publishTo(
  repo: AccountRepo,
  lane: Lane,
  { changes = null, filesMax = 1 }: { changes?: BaseChanges | null; filesMax?: number } = {},
): Promise<PublishOutcome> {
  await using folder = await new Spool(join(dir, 'spool')).open(crypto.randomUUID())
  const bytes = (async function* () {
    yield Buffer.from('hello')
  })()
  const file = { path: 'a.txt' as SitePath, ...(await folder.write(bytes, { bytesMax: 5 })) }
  const job: PublishJob = {
    startedAt: 1,
    version: null,
    sentBefore: { filesUploaded: 0, bytesUploaded: 0 },
    lane,
    rememberExpectedCid: async (current) => current,
    report: () => {},
    beginWriting: async () => false,
  }
  return await publishSite(siteOf('blog'), { files: [file], changes, settings: null }, job, {
    filesMax,
    repo,
    folder,
    ledger: storedLedger({
      did: repo.did,
      host: 'pds.test',
      db: database.db,
      blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
      now: () => 1,
    }),
    now: () => 1,
    pause: noPause,
    signal: new AbortController().signal,
    at: () => {},
  })
}

const laneOf = () => new Lane({ onSlow: () => {}, pinned: true })

test('while files are sent, nothing of the repository is held; who goes aside leaves the site to another attempt', async () => {
  const [uploading, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lane = laneOf()
  const repo = repoOf(() => {
    uploading.resolve()
    return stored.promise
  })
  const publishing = publishTo(repo, lane)
  await uploading.promise
  expect(read).toHaveLength(recordCount)
  // What the collector takes for a pointer may keep a few.
  await eventually(async () => expect(held()).toBeLessThan(recordCount / 10))
  lane.becomeSlow()
  stored.resolve()
  expect(await publishing).toEqual({ kind: 'uploaded' })
  expect(read).toHaveLength(recordCount)
})

test('one that was cancelled before it writes writes nothing', async () => {
  expect(
    await publishTo(
      repoOf(async () => {}),
      laneOf(),
    ),
  ).toEqual({ kind: 'cancelled' })
})

test('a change that makes more files of a site than the service takes is refused', async () => {
  const [repo, changes] = [repoOf(async () => {}), { version: null, remove: [], into: null }]
  expect(await publishTo(repo, laneOf(), { changes })).toEqual({ kind: 'cancelled' })
  const refused = publishTo(repo, laneOf(), { changes, filesMax: 0 })
  await expect(refused).rejects.toThrow('at most 0 files')
})

test('a server that takes nothing for a while says until when', async () => {
  const limited = (): never => {
    throw refusal(429, 'RateLimitExceeded', { 'ratelimit-reset': '3600' })
  }
  const repo = repoOf(async () => limited())
  expect(await publishTo(repo, laneOf())).toEqual({ kind: 'busy', retryAt: 3_600_000 })
})
