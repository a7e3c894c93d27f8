import { exists, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DiskFloor, DiskFloorError } from '#blobs/disk-floor.ts'
import { SpoolFolder } from './spool-folder.ts'
import {
  type Arrival,
  aheadBytes,
  type Claim,
  SpoolShares,
  smallUploadBytesMax,
  spacePerByte,
} from './spool-shares.ts'

/** The spool has no space for another upload: other jobs use it, or the disk is nearly full. */
export class SpoolFullError extends Error {
  override readonly name = 'SpoolFullError'
  readonly reason: 'busy' | 'disk'

  constructor(reason: 'busy' | 'disk') {
    super(`spool full; reason=${reason}`)
    this.reason = reason
  }
}

/** Extends the reservation of an upload while it arrives. */
export interface SpoolAdmission {
  /** `bytes` of the upload have arrived so far. */
  arrived(bytes: number): Promise<void>
  /**
   * The upload needs at least the space of `bytes` arrived bytes. With more than `smallUploadBytesMax` it no longer
   * counts as small.
   */
  atLeast(bytes: number, owner: SpoolOwner): Promise<void>
}

export type SpoolOwner = Omit<Claim, 'arrival' | 'isSmall'>

interface SpoolOptions {
  /** Of all jobs together. */
  readonly bytesMax?: number
  readonly floor?: Pick<DiskFloor, 'assertAbove'>
  /** Left out: there is only one. */
  readonly instance?: string
}

/** The folders in which uploads wait on disk, one per job. */
export class Spool {
  /** Of several that share the database, the one whose jobs these are. */
  readonly instance: string
  readonly #dir: string
  readonly #shares: SpoolShares
  readonly #floor: NonNullable<SpoolOptions['floor']>

  constructor(
    dir: string,
    {
      bytesMax = Number.POSITIVE_INFINITY,
      floor = new DiskFloor(dir),
      instance = '',
    }: SpoolOptions = {},
  ) {
    this.instance = instance
    this.#dir = dir
    this.#shares = new SpoolShares(bytesMax)
    this.#floor = floor
  }

  /**
   * Reserves space for an upload that is about to arrive: for all of a small one, else for its first part, and for
   * more as it arrives. `bytesMax` is its largest possible size. Throws SpoolFullError, now and later: then the
   * upload must end.
   */
  async admit(jobId: string, bytesMax: number, claim: Claim): Promise<SpoolAdmission> {
    let unpackedBytes = 0
    const arrival = claim.arrival && withAtLeast(claim.arrival, () => unpackedBytes)
    let upload = { ...claim, arrival }
    const extend = async (bytes: number, ahead: number): Promise<void> => {
      if (bytes * spacePerByte <= this.#shares.bytesOf(jobId)) return
      await this.reserve(jobId, bytes + ahead, upload)
    }
    await this.reserve(jobId, Math.min(aheadBytes(arrival), bytesMax), upload)
    return {
      arrived: (bytes) => {
        const needed = Math.min(bytes, bytesMax)
        return extend(needed, Math.min(aheadBytes(arrival), bytesMax - needed))
      },
      atLeast: async (bytes, owner) => {
        // Before reserving, which waits for the disk: another reservation meanwhile leaves us only what we use.
        unpackedBytes = bytes
        const isSmall = claim.isSmall && bytes <= smallUploadBytesMax
        upload = { ...owner, arrival, isSmall }
        await extend(bytes, 0)
      },
    }
  }

  /** Reserves space for a job of this size, until it is removed or reserves again. Throws SpoolFullError. */
  async reserve(jobId: string, bytes: number, claim: Claim): Promise<void> {
    if (!this.#shares.take(jobId, bytes * spacePerByte, claim)) throw new SpoolFullError('busy')
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    try {
      await this.#floor.assertAbove()
    } catch (error) {
      this.#shares.release(jobId)
      throw error instanceof DiskFloorError ? new SpoolFullError('disk') : error
    }
  }

  /**
   * As `reserve`, for a job of this size that is already in the spool: counts its files, and space for the two
   * forms still to be made of them. Throws SpoolFullError when its server's share is used up.
   */
  async receive(jobId: string, bytes: number, owner: SpoolOwner): Promise<void> {
    if (!this.#shares.take(jobId, ...(await this.#received(jobId, bytes, owner)))) {
      throw new SpoolFullError('busy')
    }
  }

  /** As `receive`, but never refuses. With an `arrival`, the job's files may have to give way to others. */
  async hold(
    jobId: string,
    bytes: number,
    owner: SpoolOwner,
    arrival: Arrival | null = null,
  ): Promise<void> {
    const [heldBytes, claim] = await this.#received(jobId, bytes, owner)
    this.#shares.keep(jobId, heldBytes, { ...claim, arrival })
  }

  async #received(jobId: string, bytes: number, owner: SpoolOwner): Promise<[number, Claim]> {
    const present = await (await this.open(jobId)).bytesOnDisk()
    const claim = { ...owner, arrival: null, isSmall: bytes <= smallUploadBytesMax }
    return [present + bytes * (spacePerByte - 1), claim]
  }

  async open(jobId: string, options?: { readonly keeps: boolean }): Promise<SpoolFolder> {
    const dir = this.#folder(jobId)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    return new SpoolFolder(dir, options)
  }

  /** As `open`, for one attempt at the job: closing the folder removes what the attempt wrote. */
  async openForAttempt(jobId: string): Promise<SpoolFolder> {
    return new SpoolFolder(this.#folder(jobId), { keeps: false })
  }

  /** The jobs that have space reserved. */
  get heldJobs(): string[] {
    return this.#shares.jobIds
  }

  async has(jobId: string): Promise<boolean> {
    return await exists(this.#folder(jobId))
  }

  /** Releases the reservation of a job that is about to end; `remove` removes its files afterwards. */
  release(jobId: string): void {
    this.#shares.release(jobId)
  }

  async remove(jobId: string): Promise<void> {
    await rm(this.#folder(jobId), { recursive: true, force: true })
    this.#shares.release(jobId)
  }

  /** Removes folders that belong to none of `jobIds`: leftovers of a process that was killed. */
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

function withAtLeast(arrival: Arrival, bytesMin: () => number): Arrival {
  return {
    get bytes() {
      return Math.max(arrival.bytes, bytesMin())
    },
    get bytesPerSecond() {
      return arrival.bytesPerSecond
    },
    giveWay: () => arrival.giveWay(),
  }
}

const isJobId = (name: string): boolean => /^[0-9a-f-]{36}$/.test(name)
