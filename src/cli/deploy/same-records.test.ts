import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import type { BlobLedger } from '#publish/blob-ledger.ts'
import { storedLedger } from '#publish/stored-ledger.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SitePath } from '#site/path.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import { versionKeyAt } from '#site/version-key.ts'
import type { Database } from '#store/database/database.ts'
import { memoryDatabase } from '#tests/support/databases.ts'
import { FakeRepo } from '#tests/support/fake-repo.ts'
import { fuzzRunsOf } from '#tests/support/fuzz.ts'
import { siteOf } from '#tests/support/sample-rows.ts'
import { deployFiles } from './deploy-files.ts'
import { recordLedger } from './record-ledger.ts'

// What the service and the command line write of the same folder, each in its own repository, and then in the other's.

/** With a server that takes blobs, and sniffs as the reference server does. */
class Repo extends FakeRepo {
  readonly blobs = new Map<string, Uint8Array>()
  uploads = 0

  async blobUploadBytesMax(): Promise<null> {
    return null
  }

  async uploadBlob(blob: Blob): Promise<BlobRef> {
    const bytes = await blob.bytes()
    const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
    this.uploads += 1
    this.blobs.set(rawCid(digest), bytes)
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    const mimeType = isGzip ? 'application/gzip' : 'application/octet-stream'
    return { $type: 'blob', ref: { $link: rawCid(digest) }, mimeType, size: bytes.length }
  }

  records(): string {
    const collections = ['place.sitehost.fs', 'place.sitehost.subfs', 'place.sitehost.version']
    return JSON.stringify(
      collections.map((of) => this.keys(of).map((key) => [key, this.find(of, key)?.value])),
    )
  }
}

let dir: string
let database: Database
let folder: SpoolFolder
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'same-records-'))
  database = await memoryDatabase()
  folder = await new Spool(join(dir, 'spool')).open(crypto.randomUUID())
})
afterEach(async () => {
  await folder[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const blog = siteOf('blog')
const { signal } = new AbortController()

const ledgers = {
  service: (repo: Repo): BlobLedger =>
    storedLedger({
      did: repo.did,
      host: 'pds.test',
      db: database.db,
      blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
      now: () => 1,
    }),
  commandLine: (repo: Repo): BlobLedger =>
    recordLedger(blog, {
      repo: repo.asRepo,
      folder,
      fetchBlob: async (cid) => repo.blobs.get(cid) ?? new Uint8Array(),
      now: () => 1,
      signal,
    }),
}

async function publish(
  writer: keyof typeof ledgers,
  repo: Repo,
  files: readonly UploadedFile[],
  now: number,
) {
  const outcome = await deployFiles(
    blog,
    { files, changes: null, settings: null },
    { key: versionKeyAt(now, 7) },
    {
      repo: repo.asRepo,
      folder,
      ledger: ledgers[writer](repo),
      now: () => now,
      signal,
      onProgress: () => {},
    },
  )
  if (outcome.kind !== 'published') throw new Error(outcome.kind)
  return outcome
}

/** Folders of pages that compress, of bytes that do not, and of the same content twice. */
const content = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ minLength: 1, maxLength: 8 }).map((text) => text.repeat(300)),
)
const name = fc.constantFrom('a', 'b', 'c', 'index', 'x-1')
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name, fc.constantFrom('.html', '.png', '.css'))
  .map(([folders, file, ending]) => [...folders, file + ending].join('/'))
const tree = fc.dictionary(path, content, { minKeys: 1, maxKeys: 80 })

async function spooled(files: Readonly<Record<string, string>>): Promise<UploadedFile[]> {
  const uploaded: UploadedFile[] = []
  for (const [path, text] of Object.entries(files)) {
    const bytes = (async function* () {
      yield Buffer.from(text)
    })()
    const file = await folder.write(bytes, { bytesMax: Number.POSITIVE_INFINITY })
    uploaded.push({ path: path as SitePath, ...file })
  }
  return uploaded
}

test('service and command line write the same records of the same folders, and read each other’s', async () => {
  const property = fc.asyncProperty(tree, tree, async (first, change) => {
    const [ofService, ofCommandLine] = [new Repo(), new Repo()]
    const steps = [first, { ...first, ...change }, change]
    for (const [n, files] of steps.entries()) {
      const sent = await spooled(files)
      const now = 1_000_000 + n
      await publish('service', ofService, sent, now)
      await publish('commandLine', ofCommandLine, sent, now)
      expect(ofCommandLine.records()).toBe(ofService.records())
      const { uploads } = ofService
      expect((await publish('commandLine', ofService, sent, now + 500)).isUnchanged).toBe(true)
      expect(ofService.uploads).toBe(uploads)
    }
  })
  await fc.assert(property, { numRuns: fuzzRunsOf(40) })
})

test('what another build of zlib has compressed is not sent again, and what has changed is', async () => {
  const repo = new Repo()
  const page = '<p>hello</p>'.repeat(100)
  await publish('commandLine', repo, await spooled({ 'a.html': page, 'b.html': `${page}b` }), 1)
  const [manifest] = [repo.find('place.sitehost.fs', 'blog')?.value]
  // The same content by another level: other bytes, as another build has them.
  const recompressed = gzipSync(page, { level: 1 })
  const base64 = Buffer.from(recompressed.toString('base64'))
  const blob = await repo.uploadBlob(new Blob([base64]))
  const old = await repo.uploadBlob(new Blob([gzipSync(page, { level: 9 }).toString('base64')]))
  const changed = JSON.parse(JSON.stringify(manifest).replaceAll(old.ref.$link, blob.ref.$link))
  repo.put(
    'place.sitehost.fs',
    'blog',
    JSON.parse(JSON.stringify(changed).replace(`"size":${old.size}`, `"size":${blob.size}`)),
  )
  const { uploads } = repo
  const same = await publish(
    'commandLine',
    repo,
    await spooled({ 'a.html': page, 'b.html': `${page}b` }),
    2,
  )
  expect(same.progress).toMatchObject({ filesUploaded: 0, filesReused: 2 })
  expect(repo.uploads).toBe(uploads)
  const other = await publish(
    'commandLine',
    repo,
    await spooled({ 'a.html': `${page}a`, 'b.html': `${page}b` }),
    3,
  )
  expect(other.progress).toMatchObject({ filesUploaded: 1, filesReused: 1 })
})
