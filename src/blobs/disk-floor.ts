import { statfs } from 'node:fs/promises'
import type { Log } from '#observe/log.ts'

/** This much of the disk stays free, whichever is more: the database and the log need it, and so do backups. */
const freeBytesMin = 1024 ** 3
const freeShareMin = 0.1

/** A stream of bytes looks at the disk again after so many. */
const stepBytes = 4 * 1024 * 1024

export interface DiskSpace {
  readonly free: number
  readonly total: number
}

/** The disk has less free space than has to stay free. */
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

/** Keeps part of a disk free: whatever stores bytes that somebody sent asks here first. */
export class DiskFloor {
  readonly #dir: string
  readonly #log: FloorOptions['log']
  readonly #diskSpace: NonNullable<FloorOptions['diskSpace']>
  #isBelow = false

  /** `dir`: any folder of the disk; it has to exist. */
  constructor(dir: string, { log, diskSpace = diskSpaceOf }: FloorOptions = {}) {
    this.#dir = dir
    this.#log = log
    this.#diskSpace = diskSpace
  }

  /** Throws DiskFloorError while the disk has too little left. Logged once when that begins, and when it ends. */
  async assertAbove(): Promise<void> {
    const space = await this.#diskSpace(this.#dir)
    const isBelow = space.free < Math.max(freeBytesMin, space.total * freeShareMin)
    if (isBelow !== this.#isBelow) {
      this.#isBelow = isBelow
      if (isBelow) this.#log?.error('disk nearly full: nothing more is stored', { ...space })
      else this.#log?.info('disk has room again', { ...space })
    }
    if (isBelow) throw new DiskFloorError(space)
  }

  /** The same bytes; throws DiskFloorError, before the first and from time to time, as `assertAbove` does. */
  async *guard(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    await this.assertAbove()
    let unseenBytes = 0
    for await (const chunk of source) {
      unseenBytes += chunk.byteLength
      if (unseenBytes >= stepBytes) {
        await this.assertAbove()
        unseenBytes = 0
      }
      yield chunk
    }
  }
}

async function diskSpaceOf(dir: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(dir)
  return { free: bavail * bsize, total: blocks * bsize }
}
