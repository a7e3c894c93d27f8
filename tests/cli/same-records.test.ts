import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { findRemovals } from '#cli/deploy/compare-with-live.ts'
import { deployFiles } from '#cli/deploy/deploy-files.ts'
import { recordLedger } from '#cli/deploy/record-ledger.ts'
import type { BlobLedger } from '#publish/contents/blob-ledger.ts'
import { storedLedger } from '#publish/contents/stored-ledger.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SitePath } from '#site/path.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import { versionKeyAt } from '#site/version-key.ts'
import type { Database } from '#store/database/database.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'

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
  commandLine: (repo: Repo, into: SitePath | null = null): BlobLedger =>
    recordLedger(blog, {
      repo: repo.asRepo,
      folder,
      fetchBlob: async (cid) => repo.blobs.get(cid) ?? new Uint8Array(),
      into,
      now: () => 1,
      signal,
    }),
}

async function publish(
  writer: keyof typeof ledgers,
  repo: Repo,
  files: readonly UploadedFile[],
  now: number,
  into: SitePath | null = null,
) {
  const outcome = await deployFiles(
    blog,
    { files, changes: into && { version: null, remove: [], into }, settings: null },
    { key: versionKeyAt(now, 7) },
    {
      repo: repo.asRepo,
      folder,
      ledger: ledgers[writer](repo, into),
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
  await fc.assert(property, { numRuns: fuzzRunsOf(15) })
})

/** As another build of zlib has compressed it, at the path `a.html`. */
async function recompress(repo: Repo, page: string): Promise<void> {
  const blobOf = (level: number) =>
    repo.uploadBlob(new Blob([gzipSync(page, { level }).toString('base64')]))
  const [blob, old] = [await blobOf(1), await blobOf(9)]
  const changed = JSON.stringify(repo.find('place.sitehost.fs', 'blog')?.value)
    .replaceAll(old.ref.$link, blob.ref.$link)
    .replace(`"size":${old.size}`, `"size":${blob.size}`)
  repo.put('place.sitehost.fs', 'blog', JSON.parse(changed))
  // They name the first form, which would be found by its CID.
  for (const key of repo.keys('place.sitehost.version')) repo.remove('place.sitehost.version', key)
}

test('what another build of zlib has compressed is not sent again, and what has changed is', async () => {
  const repo = new Repo()
  const page = '<p>hello</p>'.repeat(100)
  const folder = { 'a.html': page, 'b.html': `${page}b` }
  await publish('commandLine', repo, await spooled(folder), 1)
  await recompress(repo, page)
  const { uploads } = repo
  const same = await publish('commandLine', repo, await spooled(folder), 2)
  expect(same.progress).toMatchObject({ filesUploaded: 0, filesReused: 2 })
  expect(repo.uploads).toBe(uploads)
  const changed = await spooled({ ...folder, 'a.html': `${page}a` })
  const other = await publish('commandLine', repo, changed, 3)
  expect(other.progress).toMatchObject({ filesUploaded: 1, filesReused: 1 })
})

test('what another build of zlib has compressed is not sent again to a folder of the site', async () => {
  const repo = new Repo()
  const page = '<p>hello</p>'.repeat(100)
  await publish('commandLine', repo, await spooled({ 'docs/a.html': page, 'b.png': 'b' }), 1)
  await recompress(repo, page)
  const { uploads } = repo
  const docs = await spooled({ 'a.html': page })
  const same = await publish('commandLine', repo, docs, 2, 'docs' as SitePath)
  expect(same.progress).toMatchObject({ filesUploaded: 0, filesReused: 1 })
  expect(repo.uploads).toBe(uploads)
})

test('removals are found without a look at any content', async () => {
  const repo = new Repo()
  await publish('commandLine', repo, await spooled({ 'a/1.html': '1', 'a/2.html': '2', b: '' }), 1)
  const files = [{ path: '2.html' as SitePath }]
  const context = { repo: repo.asRepo, now: () => 1, signal }
  expect(await findRemovals(blog, { files, into: 'a' as SitePath }, context)).toEqual({
    removed: ['a/1.html' as SitePath],
    present: 3,
  })
})
