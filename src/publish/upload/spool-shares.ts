import { givesWayBytesPerSecondMax } from '#site/limits.ts'

/** Uploads that declare at most this size have a part of the spool to themselves. */
export const smallUploadBytesMax = 16 * 1024 * 1024
/** A job may need its files, their compressed forms, and those in base64: each at most the size of the files. */
export const spacePerByte = 3
/** Space reserved beyond what has arrived: this much, and no more than the upload sends in `aheadSeconds`. */
const aheadBytesMax = smallUploadBytesMax
const aheadSeconds = 120
const smallShare = 1 / 8
/** For all accounts without a site here together; their small uploads may use `smallShare`, too. */
const newcomersShareMax = 1 / 2
/** For an owner's further uploads. */
const ownerShareMax = 1 / 4
/** For further received uploads of accounts of one server: large ones, and small ones. */
const serverShareMax = 1 / 4
/** The server's share applies only while more of the spool than this is taken. */
const plentyMax = 1 / 2

export interface Claim {
  readonly owner: string
  /** The upload declares at most `smallUploadBytesMax`. */
  readonly isSmall: boolean
  /** Its owner has no site here yet. */
  readonly isNewcomer: boolean
  /** Registrable domain of the owner's server, else its host. Null: unknown, which counts as one server. Undefined: not looked up yet. */
  readonly server: string | null | undefined
  /** Null: it has arrived completely. */
  readonly arrival: Arrival | null
}

/** An upload that is still being received. */
export interface Arrival {
  /** Bytes that have arrived, or that are about to be unpacked. */
  readonly bytes: number
  /** Null: too early to tell. */
  readonly bytesPerSecond: number | null
  /** Ends the upload: others wait for its space. */
  giveWay(): void
}

interface Share extends Claim {
  readonly bytes: number
}

/** Bytes to reserve beyond what has arrived. */
export function aheadBytes(arrival: Arrival | null): number {
  const bytesPerSecond = arrival?.bytesPerSecond ?? Number.POSITIVE_INFINITY
  return Math.min(aheadBytesMax, Math.ceil(bytesPerSecond * aheadSeconds))
}

/** Divides the spool's space among uploads, so that no owner can take all of it. */
export class SpoolShares {
  readonly #bytesMax: number
  #shares = new Map<string, Share>()

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  get jobIds(): string[] {
    return [...this.#shares.keys()]
  }

  /**
   * Reserves `bytes` for a job, in place of its earlier reservation. Other uploads keep the space that they will use
   * at their pace; if too little is left, slower uploads give way, the slowest first. False: not enough space.
   */
  take(jobId: string, bytes: number, claim: Claim): boolean {
    const others = new Map<string, Share>()
    for (const [id, share] of this.#shares) {
      if (id !== jobId) others.set(id, { ...share, bytes: usedBytes(share) })
    }
    const own = [...others.values()].filter(({ owner }) => owner === claim.owner)
    if (own.length > 0 && sumOf(own) + bytes > this.#bytesMax * ownerShareMax) return false
    // Accounts that share a server with a crowd can still publish.
    const isFirstSmall = own.length === 0 && claim.isSmall
    if (!isFirstSmall && this.#isOverServerShare([...others.values()], bytes, claim)) return false
    const leaving: [string, Share][] = []
    for (;;) {
      const crowd = this.#crowd([...others.values()], bytes, claim)
      if (crowd === null) break
      const slowest = slowestOf(
        [...others].filter(([, share]) => crowd(share)),
        claim,
      )
      if (slowest === null) return false
      others.delete(slowest[0])
      leaving.push(slowest)
    }
    this.#shares = others.set(jobId, { ...claim, bytes })
    for (const [, { arrival }] of leaving) arrival?.giveWay()
    return true
  }

  /** Bytes reserved for a job; may be less than it took. */
  bytesOf(jobId: string): number {
    return this.#shares.get(jobId)?.bytes ?? 0
  }

  /** As `take`, even if there is not enough space. */
  keep(jobId: string, bytes: number, claim: Claim): void {
    this.#shares.set(jobId, { ...claim, bytes })
  }

  release(jobId: string): void {
    this.#shares.delete(jobId)
  }

  // A server that is slow on purpose occupies the spool for hours.
  #isOverServerShare(others: readonly Share[], bytes: number, { isSmall, server }: Claim): boolean {
    if (server === undefined || sumOf(others) + bytes <= this.#bytesMax * plentyMax) return false
    const received = others.filter(
      (share) => share.arrival === null && share.server === server && share.isSmall === isSmall,
    )
    return received.length > 0 && sumOf(received) + bytes > this.#bytesMax * serverShareMax
  }

  /** The group of shares that leaves no space for the claim; null if there is space. */
  #crowd(
    others: readonly Share[],
    bytes: number,
    claim: Claim,
  ): ((share: Share) => boolean) | null {
    const isOver = (of: (share: Share) => boolean, share: number): boolean =>
      sumOf(others.filter(of)) + bytes > this.#bytesMax * share
    if (isOver(isAny, 1)) return isAny
    if (!claim.isSmall && isOver(isLarge, 1 - smallShare)) return isLarge
    const newcomersMax = newcomersShareMax + (claim.isSmall ? smallShare : 0)
    return claim.isNewcomer && isOver(isNewcomer, newcomersMax) ? isNewcomer : null
  }
}

const isAny = (): boolean => true
const isLarge = ({ isSmall }: Claim): boolean => !isSmall
const isNewcomer = (claim: Claim): boolean => claim.isNewcomer

/** The slowest upload, if it arrives more slowly than the claimant. */
function slowestOf(shares: readonly [string, Share][], { arrival }: Claim): [string, Share] | null {
  let slowestBytesPerSecond = Math.min(
    arrival?.bytesPerSecond ?? givesWayBytesPerSecondMax,
    givesWayBytesPerSecondMax,
  )
  let slowest: [string, Share] | null = null
  for (const share of shares) {
    const bytesPerSecond = share[1].arrival?.bytesPerSecond ?? null
    if (bytesPerSecond === null || bytesPerSecond >= slowestBytesPerSecond) continue
    slowestBytesPerSecond = bytesPerSecond
    slowest = share
  }
  return slowest
}

const usedBytes = ({ arrival, bytes }: Share): number =>
  arrival === null ? bytes : Math.min(bytes, (arrival.bytes + aheadBytes(arrival)) * spacePerByte)

const sumOf = (shares: readonly Share[]): number =>
  shares.reduce((sum, { bytes }) => sum + bytes, 0)
