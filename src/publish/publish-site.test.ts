import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { Lane } from '#concurrency/lane.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SitePath } from '#site/path.ts'
import type { Database } from '#store/database/database.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, noPause, refusal } from '#tests/support/servers/fake-repo.ts'
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

/** A repository whose server takes a blob as `upload` says. */
function repoOf(upload: () => Promise<void>): FakeRepo {
  const blobs: Pick<AccountRepo, 'blobUploadBytesMax' | 'uploadBlob'> = {
    blobUploadBytesMax: async () => null,
    async uploadBlob() {
      await upload()
      const $link = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
      return { $type: 'blob', ref: { $link }, mimeType: 'application/octet-stream', size: 5 }
    },
  }
  return Object.assign(new FakeRepo(), blobs)
}

const readsOf = ({ calls }: FakeRepo): number =>
  calls.filter((call) => call === 'latestCommit').length

interface PublishOptions {
  readonly changes?: BaseChanges | null
  readonly filesMax?: number
  readonly isCancelled?: boolean
}

/** Publishes one file to this repository, in this lane; unless told otherwise, it is cancelled before it writes. */
async function publishTo(
  repo: FakeRepo,
  lane: Lane,
  { changes = null, filesMax = 1, isCancelled = true }: PublishOptions = {},
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
    beginWriting: async () => !isCancelled,
  }
  return await publishSite(siteOf('blog'), { files: [file], changes, settings: null }, job, {
    filesMax,
    repo: repo.asRepo,
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

const published = { kind: 'published', fileCount: 1 }
const laneOf = () => new Lane({ onSlow: () => {}, pinned: true })

test('what was read of the repository is not kept while files are sent: it is read again for the commit', async () => {
  const repo = repoOf(async () => {})
  expect(await publishTo(repo, laneOf(), { isCancelled: false })).toMatchObject(published)
  expect(readsOf(repo)).toBe(2)
})

test('it is written at once where an earlier attempt has sent all files', async () => {
  const repo = repoOf(async () => {})
  expect(await publishTo(repo, laneOf())).toEqual({ kind: 'cancelled' })
  const before = readsOf(repo)
  expect(await publishTo(repo, laneOf(), { isCancelled: false })).toMatchObject(published)
  expect(readsOf(repo)).toBe(before + 1)
})

test('who goes aside leaves the site to another attempt', async () => {
  const [uploading, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lane = laneOf()
  const repo = repoOf(() => {
    uploading.resolve()
    return stored.promise
  })
  const publishing = publishTo(repo, lane)
  await uploading.promise
  lane.becomeSlow()
  stored.resolve()
  expect(await publishing).toEqual({ kind: 'uploaded' })
  expect(readsOf(repo)).toBe(1)
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
