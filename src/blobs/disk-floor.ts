import { statfs } from 'node:fs/promises'
import type { Log } from '#observe/log.ts'

/** The larger of these stays free, for the database, the log and backups. */
const freeBytesMin = 1024 ** 3
const freeShareMin = 0.1

/** A guarded stream checks the disk again after this many bytes. */
const stepBytes = 4 * 1024 * 1024

export interface DiskSpace {
  readonly free: number
  readonly total: number
}

/** Too little free disk space to store more. */
export class DiskFloorError extends Error {
  override readonly name = 'DiskFloorError'
  readonly space: DiskSpace

  constructor(space: DiskSpace) {
    super(`too little free disk space; free=${space.free} total=${space.total}`)
    this.space = space
  }
}

interface FloorOptions {
  readonly log?: Pick<Log, 'error' | 'info'>
  readonly diskSpace?: (dir: string) => Promise<DiskSpace>
}

/** Keeps part of a disk free: checked before bytes from outside are stored. */
export class DiskFloor {
  readonly #dir: string
  readonly #log: FloorOptions['log']
  readonly #diskSpace: NonNullable<FloorOptions['diskSpace']>
  #isBelow = false

  /** `dir`: any existing folder on the disk. */
  constructor(dir: string, { log, diskSpace = diskSpaceOf }: FloorOptions = {}) {
    this.#dir = dir
    this.#log = log
    this.#diskSpace = diskSpace
  }

  space(): Promise<DiskSpace> {
    return this.#diskSpace(this.#dir)
  }

  /** Throws DiskFloorError if the disk is nearly full. Logs when that state begins and when it ends. */
  async assertAbove(): Promise<void> {
    const space = await this.space()
    const isBelow = space.free < freeBytesNeeded(space)
    if (isBelow !== this.#isBelow) {
      this.#isBelow = isBelow
      if (isBelow) this.#log?.error('disk nearly full, writes paused', { ...space })
      else this.#log?.info('disk space available again', { ...space })
    }
    if (isBelow) throw new DiskFloorError(space)
  }

  /** Passes the bytes through; calls `assertAbove` first and at regular intervals. */
  async *guard(
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  ): AsyncGenerator<Uint8Array> {
    await this.assertAbove()
    let unseenBytes = 0
    for await (const chunk of chunks) {
      unseenBytes += chunk.byteLength
      if (unseenBytes >= stepBytes) {
        await this.assertAbove()
        unseenBytes = 0
      }
      yield chunk
    }
  }
}

/** The least free bytes, on a disk of this size, at which blobs are still stored. */
export const freeBytesNeeded = ({ total }: Pick<DiskSpace, 'total'>): number =>
  Math.max(freeBytesMin, total * freeShareMin)

/** Of the disk of an existing folder, in bytes that this user may write. */
export async function diskSpaceOf(dir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dir)
  return { free: bavail * bsize, total: blocks * bsize }
}
