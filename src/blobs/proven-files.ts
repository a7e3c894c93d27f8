import type { FileHandle } from 'node:fs/promises'
import { TtlMap } from '#concurrency/lru-map.ts'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { AfterPiece } from './blob-store.ts'
import { withStorageErrors } from './storage-calls.ts'

const provenMax = 20_000
const pieceBytes = 256 * 1024
/** Bits rot and leave the file's facts as they are: after so long it is read again. */
export const provenMsMax = 60 * 60 * 1000

/**
 * What a file is recognised by: whoever changes its content changes one of these, bit rot aside.
 */
export interface FileFacts {
  readonly ino: number
  readonly size: number
  readonly mtimeMs: number
}

/**
 * Remembers for an hour which files had the content that the hash in their name promises: the 10 000 used last at least.
 */
export class ProvenFiles {
  /** Hash → facts of the file when it was proven. */
  readonly #proven: TtlMap<string, string>
  readonly #underWay = new SingleFlight<string, string>()

  /** By a clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#proven = new TtlMap({ max: provenMax, ttlMs: provenMsMax, now })
  }

  /** Whether a file of this name was proven: the one that is there now may be another. */
  knows(hash: string): boolean {
    return this.#proven.get(hash) !== undefined
  }

  has(hash: string, facts: FileFacts | null): boolean {
    return facts !== null && this.#proven.get(hash) === textOf(facts)
  }

  /** Reads the file and compares. Many that ask for one file at once cost one reading. */
  async prove(hash: string, facts: FileFacts, file: FileHandle): Promise<boolean> {
    return this.has(hash, facts) || (await this.proveAgain(hash, facts, file))
  }

  /** As `prove`, whenever that was done before. Nobody else waits for a reading that is slowed by `afterPiece`. */
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
