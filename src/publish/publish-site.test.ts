import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AccountRepo, ListedRecord } from '#atproto/repo/account-repo.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { Lane } from '#concurrency/lane.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SitePath } from '#site/path.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { eventually } from '#tests/support/eventually.ts'
import { alice, siteOf } from '#tests/support/sample-rows.ts'
import { EverythingSentError } from './job-turns.ts'
import { publishSite } from './publish-site.ts'

let dir: string
let database: Database
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'publish-site-'))
  database = openDatabase({})
  await migrate(database)
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

/** A repository of many records, whose server stores a blob when it is told to. */
function repoOf(stored: PromiseWithResolvers<void>, onUpload: () => void) {
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
    async listRecords(collection) {
      const isSites = collection === 'place.sitehost.fs'
      return isSites ? Array.from({ length: recordCount }, (_, n) => recordOf(n)) : []
    },
    async uploadBlob() {
      onUpload()
      await stored.promise
      const $link = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
      return { $type: 'blob', ref: { $link }, mimeType: 'application/octet-stream', size: 5 }
    },
  }
  return repo as AccountRepo
}

test('who goes aside while sending lets go of the repository, and another turn writes the site', async () => {
  const [uploading, stored] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await using folder = await new Spool(join(dir, 'spool')).open(crypto.randomUUID())
  const bytes = (async function* () {
    yield Buffer.from('hello')
  })()
  const file = { path: 'a.txt' as SitePath, ...(await folder.write(bytes, { bytesMax: 5 })) }
  const lane = new Lane({ onSlow: () => {}, stays: true })
  const publishing = publishSite(siteOf('blog'), [file], {
    ...{ folder, lane, db: database.db, host: 'pds.test', replaces: undefined, startedAt: 1 },
    repo: repoOf(stored, uploading.resolve),
    blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
    now: () => 1,
    signal: new AbortController().signal,
    sentBefore: { filesUploaded: 0, bytesUploaded: 0 },
    onFirstLook: () => {},
    onProgress: () => {},
    beginWriting: () => Promise.reject(new Error('not in this turn')),
    at: () => {},
  }).catch((error: unknown) => error)
  await uploading.promise
  expect(held()).toBe(recordCount)
  lane.becomeSlow()
  // What the collector takes for a pointer may keep a few.
  await eventually(async () => expect(held()).toBeLessThan(recordCount / 10))
  stored.resolve()
  expect(await publishing).toBeInstanceOf(EverythingSentError)
})
