import { Zip, ZipDeflate, type ZipInputFile } from 'fflate'
import { BlobLostError, type BlobStore } from '#blobs/blob-store.ts'
import { piecesOf } from '#concurrency/pieces-of.ts'
import { GzipHeader } from '#ingest/blobs/gzip-header.ts'
import { compareBytes } from '#site/path.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'

interface ZipContext {
  readonly blobs: Pick<BlobStore, 'open'>
  /** The time of every entry, in milliseconds: the same version is the same archive. */
  readonly modifiedAt: number
}

/**
 * A zip of the decoded files, in the order of their paths, with a piece of one file in memory. Gzip is a deflate stream
 * already, with the checksum at its end: it is copied, not decoded. Throws BlobLostError.
 */
export async function* zipPieces(
  files: ReadonlyMap<string, SnapshotFile>,
  { blobs, modifiedAt }: ZipContext,
): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = []
  const zip = new Zip((error, piece) => {
    if (error !== null) throw error
    made.push(piece)
  })
  const mtime = zipTime(modifiedAt)
  for (const [path, { coding, hash }] of [...files].sort(([a], [b]) => compareBytes(a, b))) {
    const stored = await blobs.open(hash)
    if (stored === null) throw new BlobLostError(hash)
    const name = zipName(path)
    // Level 0 copies: what gzip would shrink is stored as gzip.
    const entry = coding === 'gzip' ? new DeflatedEntry(name) : new ZipDeflate(name, { level: 0 })
    zip.add(Object.assign(entry, { mtime }))
    for await (const piece of piecesOf(stored)) {
      entry.push(piece, false)
      yield* made.splice(0)
    }
    entry.push(new Uint8Array(), true)
    yield* made.splice(0)
  }
  zip.end()
  yield* made.splice(0)
}

/** Windows takes `c:` at the beginning of a name for a drive. */
const zipName = (path: string): string => (/^[a-z]:/i.test(path) ? `./${path}` : path)

/** A zip has local times of 1980 to 2107: those of UTC, wherever this runs. */
function zipTime(at: number): Date {
  const clamped = Math.min(Math.max(at, Date.UTC(1980, 0, 2)), Date.UTC(2099, 11, 30))
  const [date, time] = new Date(clamped).toISOString().split(/[TZ]/)
  return new Date(`${date}T${time}`)
}

/** CRC-32 and size of the content (RFC 1952 §2.3.1). */
const gzipTrailerBytes = 8

/** An entry of what one gzip member holds: a deflate stream between its header and its trailer. */
class DeflatedEntry implements ZipInputFile {
  readonly filename: string
  readonly compression = 8
  crc = 0
  size = 0
  ondata?: NonNullable<ZipInputFile['ondata']>
  readonly #header = new GzipHeader()
  /** What may be the trailer. */
  #tail = Buffer.alloc(0)

  constructor(filename: string) {
    this.filename = filename
  }

  push(piece: Uint8Array, isLast: boolean): void {
    const rest = Buffer.concat([this.#tail, piece.subarray(this.#header.read(piece))])
    const end = Math.max(0, rest.length - gzipTrailerBytes)
    this.#tail = rest.subarray(end)
    if (isLast) {
      this.crc = this.#tail.readUInt32LE(0)
      this.size = this.#tail.readUInt32LE(4)
    }
    this.ondata?.(null, new Uint8Array(rest.subarray(0, end)), isLast)
  }
}
