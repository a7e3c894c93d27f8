import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { type DiskBlobStore, diskBlobStore } from '#blobs/disk.ts'
import { Spool } from '#publish/upload/spool.ts'
import type { SpoolFolder } from '#publish/upload/spool-folder.ts'
import type { SitePath } from '#site/path.ts'
import type { BlobRef } from '#site/record/blob-ref.ts'
import { findBlobs } from '#store/blobs/blobs.ts'
import type { Database } from '#store/database/database.ts'
import { findServer } from '#store/sites/servers.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { encodeFile } from './contents/encode-file.ts'
import type { ReusableBlob } from './contents/named-blobs.ts'
import { storedLedger } from './contents/stored-ledger.ts'
import { BlobRefusedError, type UploadSteps, uploadBlobs } from './upload-blobs.ts'

let dir: string
let database: Database
let folder: SpoolFolder
let blobs: DiskBlobStore
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'upload-'))
  database = await memoryDatabase()
  folder = await new Spool(join(dir, 'spool')).open(crypto.randomUUID())
  blobs = diskBlobStore({ dir: join(dir, 'blobs') })
})
afterEach(async () => {
  await folder[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

const page = '<p>hello</p>'.repeat(50)

async function* bytesOf(content: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(content)
}

/** An account's server: takes every blob, and may sniff, lie, or fail. */
class FakeRepo {
  readonly did = alice
  readonly taken: Buffer[] = []
  sniffs = false
  atOnce = 0
  /** What every call waits for. */
  gate: Promise<void> = Promise.resolve()
  onCall: () => void = () => {}
  mostAtOnce = 0
  answer: (honest: BlobRef) => BlobRef = (honest) => honest

  async uploadBlob(blob: Blob): Promise<BlobRef> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.atOnce)
    const bytes = Buffer.from(await blob.arrayBuffer())
    this.onCall()
    await this.gate
    this.atOnce -= 1
    this.taken.push(bytes)
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    const digest = new Bun.CryptoHasher('sha256').update(bytes).digest()
    return this.answer({
      $type: 'blob',
      ref: { $link: rawCid(digest) },
      mimeType: this.sniffs && isGzip ? 'application/gzip' : 'application/octet-stream',
      size: bytes.length,
    })
  }
}

async function upload(repo: FakeRepo, files: Record<string, string>): Promise<ReusableBlob[]> {
  const signal = new AbortController().signal
  const spooled = []
  for (const [path, content] of Object.entries(files)) {
    const bytesMax = Number.POSITIVE_INFINITY
    spooled.push({
      path: path as SitePath,
      ...(await folder.write(bytesOf(content), { bytesMax })),
    })
  }
  const steps: UploadSteps = {
    encode: (file, signal) => encodeFile(file, folder, signal),
    onUploading: () => {},
    onUploaded: () => {},
  }
  return await uploadBlobs(spooled, steps, {
    repo,
    folder,
    ledger: storedLedger({
      did: repo.did,
      host: 'pds.example',
      db: database.db,
      blobs,
      now: () => 1,
    }),
    now: () => 1,
    signal,
  })
}

test('files become blobs in order, and are kept here as they are served', async () => {
  const [first, second] = await upload(new FakeRepo(), { 'index.html': page, 'tiny.txt': 'x' })
  expect(first).toMatchObject({ coding: 'gzip', base64: false })
  expect(second).toMatchObject({ coding: 'identity', base64: false })
  const key = { cid: first?.blob.ref.$link ?? '', coding: 'gzip', base64: false } as const
  const [known] = await findBlobs(database.db, [key])
  expect(known).toMatchObject({ decodedBytes: page.length })
  const stored = await blobs.open(known?.hash ?? '')
  expect(gunzipSync(await (stored as Blob).arrayBuffer()).toString()).toBe(page)
})

test('a server that sniffs gets base64, learns it once, and is remembered', async () => {
  const repo = new FakeRepo()
  repo.sniffs = true
  const [node] = await upload(repo, { 'a.html': page })
  expect(node).toMatchObject({ coding: 'gzip', base64: true })
  expect(node?.blob.mimeType).toBe('application/octet-stream')
  expect(repo.taken).toHaveLength(2)
  expect(await findServer(database.db, 'pds.example')).toMatchObject({ sniffsGzip: true })

  const again = new FakeRepo()
  again.sniffs = true
  await upload(again, { 'b.html': `${page}b`, 'c.html': `${page}c` })
  expect(again.taken).toHaveLength(2)
  const key = { cid: node?.blob.ref.$link ?? '', coding: 'gzip', base64: true } as const
  expect(await findBlobs(database.db, [key])).toMatchObject([{ decodedBytes: page.length }])
})

test('a plain file keeps whatever type the server gives it', async () => {
  const repo = new FakeRepo()
  repo.answer = (honest) => ({ ...honest, mimeType: 'image/png' })
  const [node] = await upload(repo, { 'a.png': 'png' })
  expect(node).toMatchObject({ coding: 'identity', blob: { mimeType: 'image/png' } })
  expect(repo.taken).toHaveLength(1)
})

test('no more than eight at once', async () => {
  const repo = new FakeRepo()
  const { promise, resolve } = Promise.withResolvers<void>()
  repo.gate = promise
  repo.onCall = () => {
    if (repo.atOnce === 8) resolve()
  }
  const files = Array.from({ length: 40 }, (_, i) => [`${i}.png`, `${i}`])
  expect(await upload(repo, Object.fromEntries(files))).toHaveLength(40)
  expect(repo.mostAtOnce).toBe(8)
})

test('a blob that the server stored as something else is refused, by its path', async () => {
  const repo = new FakeRepo()
  repo.answer = (honest) => ({ ...honest, ref: { $link: rawCid(new Uint8Array(32)) } })
  const uploading = upload(repo, { 'a/b.png': 'x' })
  await expect(uploading).rejects.toBeInstanceOf(BlobRefusedError)
  await expect(uploading).rejects.toMatchObject({ path: 'a/b.png' })
})

test('the first failure ends it: what was not begun never is', async () => {
  const repo = new FakeRepo()
  const failure = new Error('quota')
  repo.answer = () => {
    throw failure
  }
  const files = Array.from({ length: 40 }, (_, i) => [`${i}.png`, `${i}`])
  await expect(upload(repo, Object.fromEntries(files))).rejects.toBe(failure)
  expect(repo.atOnce).toBe(0)
  expect(repo.taken.length).toBeLessThanOrEqual(16)
})
