import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { diskBlobStore } from '#blobs/disk.ts'
import { findRemovals } from '#cli/deploy/compare-with-live.ts'
import { deployFiles } from '#cli/deploy/deploy-files.ts'
import { LocalContents } from '#cli/deploy/local-contents.ts'
import { readLocalSite } from '#cli/deploy/local-site.ts'
import { recordLedger } from '#cli/deploy/record-ledger.ts'
import type { BlobLedger } from '#publish/contents/blob-ledger.ts'
import type { ContentFolder } from '#publish/contents/encode-file.ts'
import { storedLedger } from '#publish/contents/stored-ledger.ts'
import { receiveUpload } from '#publish/upload/receive-upload.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'
import type { SitePath } from '#site/path.ts'
import { versionKeyAt } from '#site/version-key.ts'
import type { Database } from '#store/database/database.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { BlobRepo } from '#tests/support/servers/blob-repo.ts'
import { chooseFiles } from '#web/publish/files/choose-files.ts'
import { hashFiles } from '#web/publish/files/hash-files.ts'
import { pickedOf } from '#web/publish/files/picked-file.ts'
import { bodyOf } from '#web/publish/send/send-file.ts'

// What the page, the service and the command line write of the same folder, each in its own repository, and then in another's.

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
  service: (repo: BlobRepo): BlobLedger =>
    storedLedger({
      did: repo.did,
      host: 'pds.test',
      db: database.db,
      blobs: diskBlobStore({ dir: join(dir, 'blobs') }),
      now: () => 1,
    }),
  commandLine: (repo: BlobRepo, { into, contents }: Placed): BlobLedger =>
    recordLedger(blog, {
      repo: repo.asRepo,
      folder: contents,
      fetchBlob: async (cid) => repo.blobs.get(cid) ?? new Uint8Array(),
      into,
      now: () => 1,
      signal,
    }),
}

interface Placed {
  readonly into: SitePath | null
  /** Where the files are. */
  readonly contents: ContentFolder
}

async function publish(
  writer: keyof typeof ledgers,
  repo: BlobRepo,
  files: readonly UploadedFile[],
  now: number,
  { into = null, contents = folder }: Partial<Placed> = {},
) {
  const outcome = await deployFiles(
    blog,
    { files, changes: into && { version: null, remove: [], into }, settings: null },
    { key: versionKeyAt(now, 7) },
    {
      repo: repo.asRepo,
      folder: contents,
      ledger: ledgers[writer](repo, { into, contents }),
      now: () => now,
      signal,
      onProgress: () => {},
    },
  )
  if (outcome.kind !== 'published') throw new Error(outcome.kind)
  return outcome
}

type Tree = Readonly<Record<string, string>>

/** Folders of pages that compress, of bytes that do not, of the same content twice, and of what is left out. */
const content = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ minLength: 1, maxLength: 8 }).map((text) => text.repeat(300)),
)
const name = fc.constantFrom('a', 'b', 'c', 'index', 'x-1')
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name, fc.constantFrom('.html', '.png', '.css'))
  .map(([folders, file, ending]) => [...folders, file + ending].join('/'))
const special = fc.subarray([
  ['.sitehostignore', 'b/\n*.css\n'],
  ['sitehost.json', JSON.stringify({ ignore: ['c/'] })],
  ['_redirects', '/old /\n'],
  ['.env', 'SECRET=1'],
  ['a/.DS_Store', ''],
  ['.well-known/a', 'a'],
])
const tree = fc
  .tuple(fc.dictionary(path, content, { minKeys: 1, maxKeys: 80 }), special)
  .map(([files, more]): Tree => ({ '1.png': '1', ...files, ...Object.fromEntries(more) }))

async function spooled(files: Tree): Promise<UploadedFile[]> {
  const uploaded: UploadedFile[] = []
  for (const [path, text] of Object.entries(files)) {
    uploaded.push({ path: path as SitePath, ...(await spool(new Blob([text]).stream())) })
  }
  return uploaded
}

const spool = (bytes: ReadableStream<Uint8Array>) =>
  folder.write(bytes, { bytesMax: Number.POSITIVE_INFINITY })

/** In one folder, as they are dropped. */
const dropped = (files: Tree) =>
  Object.entries(files).map(([path, text]) => [`site/${path}`, new Blob([text])] as const)

/** What each of them hands to what publishes. */
const read = {
  async page(files: Tree): Promise<UploadedFile[]> {
    const picked = dropped(files).map(([path, blob]) => pickedOf(path, blob))
    const choice = await chooseFiles(picked)
    const hashes = await hashFiles(choice.files, { signal, onProgress: () => {} })
    return await Promise.all(
      choice.files.map(async (file) => {
        const { body, isGzipped } = await bodyOf(file.path, await file.open())
        const bytes = body.stream()
        const sent = await spool(
          isGzipped ? bytes.pipeThrough(new DecompressionStream('gzip')) : bytes,
        )
        expect(sent.sha256).toBe(hashes.get(file) ?? '')
        return { path: file.path, ...sent }
      }),
    )
  },
  async form(files: Tree): Promise<readonly UploadedFile[]> {
    const form = new FormData()
    form.append('siteName', 'blog')
    for (const [path, blob] of dropped(files)) form.append('files', blob, path)
    const sent = new Response(form)
    const contentType = sent.headers.get('content-type') ?? ''
    const body = sent.body ?? new ReadableStream()
    const upload = { body, contentType, folder, limits }
    return (await receiveUpload(upload)).files
  },
  async commandLine(files: Tree, contents: LocalContents): Promise<UploadedFile[]> {
    const place = join(dir, crypto.randomUUID())
    for (const [path, text] of Object.entries(files)) await Bun.write(join(place, path), text)
    const local = await readLocalSite(place, limits)
    return await Promise.all(local.files.map((file) => contents.hash(file)))
  },
}
const limits = {
  fileBytesMax: Number.POSITIVE_INFINITY,
  siteBytesMax: Number.POSITIVE_INFINITY,
}

// Forty-five trees; on a network it is `three-writers.test.ts`.
test('page, form and command line write the same records of the same folders, and read each other’s', async () => {
  await using contents = new LocalContents()
  const property = fc.asyncProperty(tree, tree, async (first, change) => {
    const [ofPage, ofForm, ofCommandLine] = [new BlobRepo(), new BlobRepo(), new BlobRepo()]
    const steps = [first, { ...first, ...change }, change]
    for (const [n, files] of steps.entries()) {
      const now = 1_000_000 + n
      const local = await read.commandLine(files, contents)
      await publish('service', ofPage, await read.page(files), now)
      await publish('service', ofForm, await read.form(files), now)
      await publish('commandLine', ofCommandLine, local, now, { contents })
      expect(ofPage.records()).toBe(ofCommandLine.records())
      expect(ofForm.records()).toBe(ofCommandLine.records())
      const { uploads } = ofPage
      const again = await publish('commandLine', ofPage, local, now + 500, { contents })
      expect([again.isUnchanged, ofPage.uploads]).toEqual([true, uploads])
    }
  })
  await fc.assert(property, { numRuns: fuzzRunsOf(15) })
})

/** As another build of zlib has compressed it, at the path `a.html`. */
async function recompress(repo: BlobRepo, page: string): Promise<void> {
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
  const repo = new BlobRepo()
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
  const repo = new BlobRepo()
  const page = '<p>hello</p>'.repeat(100)
  await publish('commandLine', repo, await spooled({ 'docs/a.html': page, 'b.png': 'b' }), 1)
  await recompress(repo, page)
  const { uploads } = repo
  const docs = await spooled({ 'a.html': page })
  const same = await publish('commandLine', repo, docs, 2, { into: 'docs' as SitePath })
  expect(same.progress).toMatchObject({ filesUploaded: 0, filesReused: 1 })
  expect(repo.uploads).toBe(uploads)
})

test('removals are found without a look at any content', async () => {
  const repo = new BlobRepo()
  await publish('commandLine', repo, await spooled({ 'a/1.html': '1', 'a/2.html': '2', b: '' }), 1)
  const files = [{ path: '2.html' as SitePath }]
  const context = { repo: repo.asRepo, now: () => 1, signal }
  expect(await findRemovals(blog, { files, into: 'a' as SitePath }, context)).toEqual({
    removed: ['a/1.html' as SitePath],
    present: 3,
  })
})
