import type { FileHandle } from 'node:fs/promises'
import { TtlMap } from '#concurrency/lru-map.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { AfterPiece } from './blob-store.ts'
import { withStorageErrors } from './storage-calls.ts'

const provenMax = 20_000
const pieceBytes = 256 * 1024
/** Bit rot does not change a file's facts: files are verified again after this time. */
export const provenMsMax = 60 * 60 * 1000

/** Identify a file's content: every change of it changes one of these, except bit rot. */
export interface FileFacts {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/** Remembers for an hour which files matched the hash in their name; at least the 10,000 most recently used. */
export class VerifiedFiles {
  /** Hash → facts of the file when it was proven. */
  readonly #proven: TtlMap<string, string>
  readonly #underWay = new SingleFlight<string, string>()

  /** `now`: a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.#proven = new TtlMap({ max: provenMax, ttlMs: provenMsMax, now })
  }

  /** Whether a file of this name was verified; the current one may be another. */
  knows(hash: string): boolean {
    return this.#proven.get(hash) !== undefined
  }

  has(hash: string, facts: FileFacts | null): boolean {
    return facts !== null && this.#proven.get(hash) === textOf(facts)
  }

  /** Verifies the file, unless that was done. Concurrent calls for one file share one read. */
  async prove(hash: string, facts: FileFacts, file: FileHandle): Promise<boolean> {
    return this.has(hash, facts) || (await this.proveAgain(hash, facts, file))
  }

  /** Verifies the file again. A read that `afterPiece` slows down is not shared. */
  async proveAgain(
    hash: string,
    facts: FileFacts,
    file: FileHandle,
    afterPiece?: AfterPiece,
  ): Promise<boolean> {
    const key = `${hash} ${textOf(facts)}`
    const proof =
      afterPiece !== undefined
        ? hashOf(file, afterPiece)
        : this.#underWay.run(key, () => hashOf(file))
    const isIntact = (await proof) === hash
    if (isIntact) this.#proven.set(hash, textOf(facts))
    return isIntact
  }
}

async function hashOf(file: FileHandle, afterPiece?: AfterPiece): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const piece = new Uint8Array(pieceBytes)
  for (;;) {
    const { bytesRead } = await withStorageErrors(file.read(piece, 0, pieceBytes))
    if (bytesRead === 0) return hasher.digest('hex')
    hasher.update(piece.subarray(0, bytesRead))
    await afterPiece?.(bytesRead)
  }
}

function textOf({ ino, size, mtimeMs }: FileFacts): string {
  return `${ino} ${size} ${mtimeMs}`
}
