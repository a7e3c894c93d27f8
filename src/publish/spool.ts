import { exists, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskFloor, DiskFloorError } from '#blobs/disk-floor.ts'
import { SpoolFolder } from './spool-folder.ts'

/** There is no room for another upload: too many are under way, or the disk has too little left. */
export class SpoolFullError extends Error {
  override readonly name = 'SpoolFullError'
  readonly reason: 'busy' | 'disk'

  constructor(reason: 'busy' | 'disk') {
    super(`no room in the spool; reason=${reason}`)
    this.reason = reason
  }
}

interface SpoolOptions {
  /** Of all jobs together, as they were admitted. */
  readonly bytesMax?: number
  /** Of the disk that the spool is on. */
  readonly floor?: Pick<DiskFloor, 'assertAbove'>
}

interface Reservation {
  readonly bytes: number
  readonly owner: string
}

const sumOf = (reservations: readonly Reservation[]): number =>
  reservations.reduce((sum, { bytes }) => sum + bytes, 0)

const ownerShareMax = 1 / 4

/** A job may need its files, their compressed forms, and those as text: of each at most the size of the first. */
const bytesNeededPerByte = 3

/** Where uploads wait on disk: a folder a job. */
export class Spool {
  readonly #dir: string
  readonly #bytesMax: number
  readonly #floor: NonNullable<SpoolOptions['floor']>
  readonly #reserved = new Map<string, Reservation>()

  constructor(
    dir: string,
    { bytesMax = Number.POSITIVE_INFINITY, floor = new DiskFloor(dir) }: SpoolOptions = {},
  ) {
    this.#dir = dir
    this.#bytesMax = bytesMax
    this.#floor = floor
  }

  /**
   * Sets room aside for a job of this size, until it is removed or reserves anew. Beside a first job, an
   * owner gets a quarter of all room: nobody takes it from the others. Throws SpoolFullError.
   */
  async reserve(jobId: string, bytes: number, owner: string): Promise<void> {
    const needed = bytes * bytesNeededPerByte
    const others = [...this.#reserved].filter(([id]) => id !== jobId).map(([, held]) => held)
    const own = others.filter((held) => held.owner === owner)
    const isOverShare = own.length > 0 && sumOf(own) + needed > this.#bytesMax * ownerShareMax
    if (isOverShare || sumOf(others) + needed > this.#bytesMax) throw new SpoolFullError('busy')
    this.#reserved.set(jobId, { bytes: needed, owner })
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    try {
      await this.#floor.assertAbove()
    } catch (error) {
      this.#reserved.delete(jobId)
      throw error instanceof DiskFloorError ? new SpoolFullError('disk') : error
    }
  }

  /**
   * As `reserve`, for a job of this size that is in the spool already: it has what lies there, and room for
   * the two forms that are still to be made of it. Never refuses.
   */
  async hold(jobId: string, bytes: number, owner: string): Promise<void> {
    const present = await (await this.open(jobId)).bytesOnDisk()
    this.#reserved.set(jobId, { bytes: present + bytes * (bytesNeededPerByte - 1), owner })
  }

  async open(jobId: string): Promise<SpoolFolder> {
    const dir = this.#folder(jobId)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    return new SpoolFolder(dir)
  }

  /** As `open`, for one turn of the job: what is written to it goes when it is closed. */
  async openForTurn(jobId: string): Promise<SpoolFolder> {
    return new SpoolFolder(this.#folder(jobId), { keeps: false })
  }

  async has(jobId: string): Promise<boolean> {
    return await exists(this.#folder(jobId))
  }

  /** The job is about to end: its room counts for nobody from here on, and its files go when it has ended. */
  release(jobId: string): void {
    this.#reserved.delete(jobId)
  }

  async remove(jobId: string): Promise<void> {
    await rm(this.#folder(jobId), { recursive: true, force: true })
    this.#reserved.delete(jobId)
  }

  /** Removes what belongs to none of `jobIds`: leftovers of a process that was killed. */
  async sweep(jobIds: ReadonlySet<string>): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#dir)) {
      if (isJobId(name) && !jobIds.has(name)) await this.remove(name)
    }
  }

  #folder(jobId: string): string {
    if (!isJobId(jobId)) throw new TypeError('job ids are UUIDs')
    return join(this.#dir, jobId)
  }
}

const isJobId = (name: string): boolean => /^[0-9a-f-]{36}$/.test(name)
