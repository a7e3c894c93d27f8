import { mkdir, rm } from 'node:fs/promises'
import { wholeBodyBytesMax } from '#site/limits.ts'
import {
  type AfterPiece,
  BlobStorageError,
  InvalidBlobHashError,
  isBlobHash,
  type PutOptions,
  type ServiceBlobStore,
  type StoredBlob,
} from './blob-store.ts'
import { type DiskFloor, DiskFloorError } from './disk-floor.ts'
import { S3BodyError } from './s3-body.ts'
import type { S3Client } from './s3-client.ts'
import { type ListPage, listBytesMax, parseListPage } from './s3-list.ts'
import { withStorageErrors } from './storage-calls.ts'
import { type Chunks, sweepTempFiles, writeTempFile } from './temp-file.ts'

/** A put of up to this size needs no file. */
const smallBytesMax = wholeBodyBytesMax
/** A record names no larger blobs. */
const blobBytesMax = 1024 ** 3
const keysAtOnce = 1000

export interface S3BlobStore extends ServiceBlobStore {
  /**
   * Passes the bytes to `keep`, which returns their hash; for each try anew. Null: they are missing, or damaged: then they
   * were deleted. `bytes`: as the server announced them. Throws what `keep` throws.
   */
  fetch<Kept extends Pick<StoredBlob, 'hash'>>(hash: string, keep: Keep<Kept>): Promise<Kept | null>
}

export type Keep<Kept> = (chunks: AsyncIterable<Uint8Array>, bytes: number | null) => Promise<Kept>

interface S3Options {
  readonly client: S3Client
  /** For what is put: a request is signed with the hash, which is known at the end. */
  readonly tempDir: string
  /** Largest blob that `open` returns: it is in memory. */
  readonly openBytesMax: number
  readonly floor?: DiskFloor
  /** Called for each damaged blob, after it was deleted. */
  readonly onCorrupt?: (hash: string) => void
}

/**
 * Blobs as objects named by their hash, which each put is signed with: the store itself refuses other bytes. Several
 * processes and machines may share the bucket.
 */
export function s3BlobStore({
  client,
  floor,
  onCorrupt = () => {},
  openBytesMax,
  tempDir,
}: S3Options): S3BlobStore {
  async function put(
    source: AsyncIterable<Uint8Array> | Uint8Array,
    options?: PutOptions,
  ): Promise<StoredBlob> {
    if (source instanceof Uint8Array) return await putBytes([source])
    const chunks = source[Symbol.asyncIterator]()
    const first: Uint8Array[] = []
    let bytes = 0
    while (bytes <= smallBytesMax) {
      const { done, value } = await chunks.next()
      if (done) return await putBytes(first)
      first.push(value)
      bytes += value.byteLength
    }
    return await putLarge(joined(first, chunks), options)
  }

  async function putBytes(chunks: readonly Uint8Array[]): Promise<StoredBlob> {
    const blob = new Blob(chunks as Uint8Array<ArrayBuffer>[])
    const hasher = new Bun.CryptoHasher('sha256')
    for (const chunk of chunks) hasher.update(chunk)
    return await send(blob, { hash: hasher.digest('hex'), bytes: blob.size })
  }

  async function putLarge(chunks: Chunks, options?: PutOptions): Promise<StoredBlob> {
    await withStorageErrors(mkdir(tempDir, { recursive: true, mode: 0o700 }))
    const { path, hash, bytes } = await writeTemp(chunks, options)
    try {
      return await send(Bun.file(path), { hash, bytes })
    } finally {
      await rm(path, { force: true })
    }
  }

  async function writeTemp(chunks: Chunks, options?: PutOptions): ReturnType<typeof writeTempFile> {
    try {
      const guarded = floor === undefined ? chunks : floor.guard(chunks)
      return await writeTempFile(tempDir, guarded, options)
    } catch (error) {
      throw error instanceof DiskFloorError ? new BlobStorageError('full', { cause: error }) : error
    }
  }

  async function send(source: Blob, stored: StoredBlob): Promise<StoredBlob> {
    const content = { source, ...stored }
    await client.request({ operation: 'put', key: stored.hash, content }, async () => undefined)
    return stored
  }

  async function fetch<Kept extends Pick<StoredBlob, 'hash'>>(
    hash: string,
    keep: Keep<Kept>,
  ): Promise<Kept | null> {
    const read = (): Promise<Kept | null> =>
      client.request({ operation: 'get', key: keyOf(hash) }, async ({ body, isThere }) => {
        if (!isThere) return null
        return await keep(counted(body.chunks(blobBytesMax)), body.length)
      })
    const kept = await read()
    if (kept === null || kept.hash === hash) return kept
    // A proxy or a cable may have changed them: only bytes that are wrong twice in the same way are damaged.
    const again = await read()
    if (again === null || again.hash === hash) return again
    if (again.hash !== kept.hash) {
      throw new BlobStorageError('failed', { cause: new S3BodyError('other bytes with each read') })
    }
    await remove(hash)
    onCorrupt(hash)
    return null
  }

  async function* counted(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      client.tally.add('received-bytes', chunk.byteLength)
      yield chunk
    }
  }

  async function open(hash: string): Promise<Blob | null> {
    const kept = await fetch(hash, async (chunks, bytes) => {
      assertBelow(bytes ?? 0)
      const hasher = new Bun.CryptoHasher('sha256')
      const parts: Uint8Array<ArrayBuffer>[] = []
      let sum = 0
      for await (const chunk of chunks) {
        sum += chunk.byteLength
        assertBelow(sum)
        hasher.update(chunk)
        parts.push(chunk as Uint8Array<ArrayBuffer>)
      }
      return { hash: hasher.digest('hex'), blob: new Blob(parts) }
    })
    return kept?.blob ?? null
  }

  function assertBelow(bytes: number): void {
    if (bytes > openBytesMax) {
      const cause = new RangeError(`more than ${openBytesMax} bytes without space on the disk`)
      throw new BlobStorageError('full', { cause })
    }
  }

  async function verify(
    hash: string,
    afterPiece?: AfterPiece,
  ): Promise<{ isIntact: boolean; bytes: number }> {
    let bytes = 0
    const kept = await fetch(hash, async (chunks) => {
      const hasher = new Bun.CryptoHasher('sha256')
      bytes = 0
      for await (const chunk of chunks) {
        bytes += chunk.byteLength
        hasher.update(chunk)
        await afterPiece?.(chunk.byteLength)
      }
      return { hash: hasher.digest('hex') }
    })
    return { isIntact: kept !== null, bytes }
  }

  async function has(hash: string): Promise<boolean> {
    return await client.request({ operation: 'head', key: keyOf(hash) }, async (answer) => {
      return answer.isThere
    })
  }

  async function remove(hash: string): Promise<void> {
    await client.request({ operation: 'delete', key: keyOf(hash) }, async () => undefined)
  }

  async function* list(): AsyncIterable<string> {
    let after: string | null = null
    do {
      const page: ListPage = await listPage(keysAtOnce, after)
      for (const key of page.keys) {
        const hash = key.slice(client.prefix.length)
        if (key.startsWith(client.prefix) && isBlobHash(hash)) yield hash
      }
      if (page.continuation === after && after !== null) {
        throw new BlobStorageError('failed', { cause: new S3BodyError('the same page twice') })
      }
      after = page.continuation
    } while (after !== null)
  }

  async function listPage(max: number, after: string | null): Promise<ListPage> {
    const query = new URLSearchParams({
      'list-type': '2',
      'max-keys': String(max),
      ...(client.prefix !== '' && { prefix: client.prefix }),
      ...(after !== null && { 'continuation-token': after }),
    })
    return await client.request({ operation: 'list', key: '', query }, async ({ body }) => {
      const page = parseListPage(new TextDecoder().decode(await body.whole(listBytesMax)))
      if (page === null) throw new S3BodyError('not a list of objects')
      return page
    })
  }

  return {
    put,
    fetch,
    open,
    verify,
    has,
    list,
    delete: remove,
    sweep: (now) => sweepTempFiles(tempDir, now),
    assertThere: async () => void (await listPage(1, null)),
  }
}

function keyOf(hash: string): string {
  if (!isBlobHash(hash)) throw new InvalidBlobHashError(hash)
  return hash
}

async function* joined(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* first
    for (;;) {
      const { done, value } = await rest.next()
      if (done) return
      yield value
    }
  } finally {
    await rest.return?.()
  }
}
