import { RecentMap } from './recent-map.ts'

interface Waiting {
  readonly owner: string
  readonly since: number
  readonly start: () => Promise<void>
}

const ownersMax = 10_000
const forgetEveryMs = 60 * 60_000
/** Who has worked a millisecond comes after those who begin to wait within so many. */
const waitPerUsedMs = 10

/**
 * A mutex that is fair by time used, with aging: lets one at a time work, and of those who wait the one whose owner has
 * worked least within the hour; of these the first. Waiting makes up for work, so that newcomers, however many, starve nobody.
 */
export class Turns {
  readonly #now: () => number
  readonly #waiting: Waiting[] = []
  #usedMs = new RecentMap<number>(ownersMax)
  #since: number
  #isBusy = false

  constructor({ now = () => performance.now() }: { readonly now?: () => number } = {}) {
    this.#now = now
    this.#since = now()
  }

  /**
   * What the work results in, when its turn has come. The next has its turn however this one ends. Work that waits
   * is given up when the signal is aborted: rejects with its reason.
   */
  async take<Result>(
    work: () => Promise<Result>,
    owner = '',
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    const giveUp = (): void => {
      const at = this.#waiting.indexOf(waiting)
      if (at < 0) return
      this.#waiting.splice(at, 1)
      reject(signal?.reason)
    }
    const start = (): Promise<void> => work().then(resolve, reject)
    const waiting: Waiting = { owner, since: this.#now(), start }
    this.#waiting.push(waiting)
    signal?.addEventListener('abort', giveUp)
    if (!this.#isBusy) void this.#work()
    try {
      return await promise
    } finally {
      signal?.removeEventListener('abort', giveUp)
    }
  }

  async #work(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { owner, start } = next
      const from = this.#now()
      await start()
      this.#usedMs.set(owner, this.#usedBy(owner) + this.#now() - from)
    }
    this.#isBusy = false
  }

  #next(): Waiting | undefined {
    if (this.#now() - this.#since >= forgetEveryMs) {
      this.#usedMs = new RecentMap(ownersMax)
      this.#since = this.#now()
    }
    let least = 0
    for (let n = 1; n < this.#waiting.length; n++) {
      if (this.#turnOf(n) < this.#turnOf(least)) least = n
    }
    return this.#waiting.splice(least, 1)[0]
  }

  #turnOf(n: number): number {
    const { owner = '', since = 0 } = this.#waiting[n] ?? {}
    return since + this.#usedBy(owner) * waitPerUsedMs
  }

  #usedBy(owner: string): number {
    return this.#usedMs.get(owner) ?? 0
  }
}
