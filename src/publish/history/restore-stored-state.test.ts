import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskBlobStore } from '#blobs/disk.ts'
import { Lane } from '#concurrency/lane.ts'
import { storedLedger } from '#publish/contents/stored-ledger.ts'
import { SiteRecords } from '#publish/site-records.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { encodeSnapshot } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberBlob } from '#store/blobs/blobs.ts'
import type { Database } from '#store/database/database.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { listVersions } from '#store/sites/versions.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { newVersion, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, noPause, refusal } from '#tests/support/servers/fake-repo.ts'
import { restoreState } from './restore-stored-state.ts'

const blog = siteOf('blog')
const [fs, versions] = ['place.sitehost.fs', 'place.sitehost.version']
const $type = 'place.sitehost.settings'
const settingsOfThen = { $type, cleanUrls: true } as const

let dir: string
let database: Database
let repo: FakeRepo
let expectedCid: string | null | undefined
let uploads: number
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'restore-state-'))
  database = await memoryDatabase()
  repo = Object.assign(new FakeRepo(), {
    blobUploadBytesMax: async () => null,
    uploadBlob: async ({ size }: Blob) => {
      uploads += 1
      return { $type: 'blob', ref: { $link: someBlob }, ...octets, size }
    },
  })
  expectedCid = undefined
  uploads = 0
})
afterEach(async () => {
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const nodeOf = ($link: string): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: { $type: 'blob', ref: { $link }, mimeType: 'text/plain', size: 5 },
})
const octets = { mimeType: 'application/octet-stream' }
const someBlob = 'bafkreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq'
const blobs = () => diskBlobStore({ dir: join(dir, 'blobs') })

/** Stores a state that the site had, with these settings; returns its id. */
async function storeState(settings: SiteSettings | null): Promise<string> {
  const { hash, bytes } = await blobs().put(Buffer.from('hello'))
  const form = { cid: someBlob, hash, coding: 'identity', storedBytes: bytes, bytes } as const
  const snapshot = encodeSnapshot({
    ...{ did: blog.did, name: blog.name, recordCid: 'of then', publishedAt: 1, settings },
    ...{
      redirects: '',
      headers: '',
      files: new Map([['a.txt', { ...form, contentType: 'text/plain' }]]),
    },
  })
  await upsertAccount(database.db, { did: blog.did }, 1)
  await recordVersion(database.db, newVersion({ site: blog, snapshot, recordCid: 'of then' }), 1)
  const [state] = await listVersions(database.db, blog)
  return state?.id ?? ''
}

async function restore(stateId: string, { settings = true, isCancelled = false } = {}) {
  const job = {
    startedAt: 1,
    version: { key: versionKeyOf(1) },
    sentBefore: { filesUploaded: 0, bytesUploaded: 0 },
    lane: new Lane({ onSlow: () => {}, pinned: true }),
    rememberExpectedCid: async (current: string | null) => (expectedCid ??= current),
    report: () => {},
    beginWriting: async () => !isCancelled,
  }
  await using folder = await new Spool(join(dir, 'spool')).open(crypto.randomUUID())
  const stores = { blobs: blobs(), db: database.db }
  return await restoreState(blog, { stateId, settings }, job, {
    ...{ repo: repo.asRepo, folder, ...stores },
    ...{
      ledger: storedLedger({ did: repo.asRepo.did, host: 'pds.test', ...stores, now: () => 1 }),
    },
    ...{ now: () => 1, pause: noPause, signal: new AbortController().signal, at: () => {} },
  })
}

const present = () => repo.find($type, 'blog')?.value ?? null
const commits = () => repo.calls.filter((call) => call === 'applyWrites').length
const putSettings = () => repo.put($type, 'blog', { $type, spaMode: 'index.html' })

test('files and settings of then go live in one commit, which is also what its version says', async () => {
  putSettings()
  const id = await storeState(settingsOfThen)
  expect(await restore(id)).toMatchObject({ kind: 'published', fileCount: 1 })
  expect([present(), commits()]).toEqual([settingsOfThen, 1])
  expect(repo.find(versions, versionKeyOf(1))?.value).toMatchObject({
    manifest: repo.find(fs, 'blog')?.cid,
    settings: settingsOfThen,
  })
})

test('without settings of then, those of now go; unless asked for, they stay', async () => {
  putSettings()
  const id = await storeState(null)
  await restore(id, { settings: false })
  expect(present()).toMatchObject({ spaMode: 'index.html' })
  await restore(id)
  expect(present()).toBeNull()
})

test('a file that only a part names which a listing left out is not sent', async () => {
  const id = await storeState(null)
  const present = { cid: someBlob, coding: 'identity', base64: false } as const
  const node = nodeOf(someBlob)
  const files = Array.from({ length: 300 }, (_, n) => [`${n}.txt` as SitePath, node] as const)
  const records = new SiteRecords(blog, new Map(files), 0)
  const parts = [...records.trees.manifest.parts.keys()]
  for (const part of parts) repo.put('place.sitehost.subfs', part, { ...records.part(part) })
  repo.put(fs, 'blog', { ...records.manifest })
  const { hash, bytes } = await blobs().put(Buffer.from('hello'))
  const sizes = { storedBytes: bytes, decodedBytes: bytes }
  await rememberBlob(database.db, { ...present, hash, decodedHash: hash, ...sizes }, 1)
  repo.leftOut.add('place.sitehost.subfs')
  expect(await restore(id)).toMatchObject({ kind: 'published', fileCount: 1 })
  expect(uploads).toBe(0)
})

test('an attempt after one that wrote everything but the answer writes nothing', async () => {
  putSettings()
  const id = await storeState(settingsOfThen)
  await restore(id)
  await restore(id)
  expect([present(), commits()]).toEqual([settingsOfThen, 1])
})

test('where each record is written alone, an attempt continues after one that broke off', async () => {
  putSettings()
  repo.writesMax = 0
  const id = await storeState(settingsOfThen)
  const original = repo.putRecord.bind(repo)
  repo.putRecord = async (...args) => {
    // Of the refusals that are not retried: how long the others are is `server-patience.test.ts`'s.
    if (args[0] === $type) throw refusal(501, 'MethodNotImplemented')
    return await original(...args)
  }
  const brokenOff = restore(id)
  await expect(brokenOff).rejects.toThrow()
  expect([present(), repo.keys(fs)]).toEqual([{ $type, spaMode: 'index.html' }, ['blog']])
  repo.putRecord = original
  expect(await restore(id)).toMatchObject({ kind: 'published' })
  expect(present()).toEqual(settingsOfThen)
})
