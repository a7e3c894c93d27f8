import type { Lanes } from '#concurrency/lanes.ts'
import type { Party } from '#concurrency/pace-history.ts'
import type { Db } from '#store/database/database.ts'
import { linesAtOnce, listLines } from '#store/queues/queued.ts'
import { putInLine, type WorkItem } from '#store/queues/work-items.ts'

const relistEveryMs = 1_000
/** Items taken in one query to sort into lines, when one server has many. */
const sortedAtOnce = 256
/** A check takes ten microseconds. */
const linesCheckedAtOnce = 256
/** Beyond this number, lines are forgotten until they are listed again. */
const linesMax = 20_000

interface StartContext {
  readonly db: Db
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number
  /** Takes due sites of at most `limit` accounts; without a line, those that are in none. */
  readonly take: (limit: number, line?: string) => Promise<readonly WorkItem[]>
  /** Whether `take` would return an item of this line. */
  readonly isDue: (line: string) => Promise<boolean>
  /** An item was taken and not started. */
  readonly onPutBack: (item: WorkItem) => void
}

type Start = (item: WorkItem) => void

/**
 * Starts due sites in lanes, each server within its share. A site whose server has used its share goes into that
 * server's line, so that later queries skip it, and starts from there when a lane is free. A server has one line for
 * quick accounts and one for slow ones. Sites in lines and sites in none are first by turns: neither takes every lane.
 */
export class StartInShares {
  readonly #context: StartContext
  readonly #elapsed: () => number
  /** Lines with items; the next one to start from comes first. */
  #lines = new Set<string>()
  #listedAt = Number.NEGATIVE_INFINITY
  /** The last line that was listed; empty: the next list begins anew. */
  #listedTo = ''
  #areLinesFirst = false
  /** Where the next check of quick lines begins. */
  #checkedTo = 0

  constructor(context: StartContext) {
    this.#context = context
    this.#elapsed = context.elapsed ?? (() => performance.now())
  }

  async start(lanes: Lanes, start: Start): Promise<void> {
    const areLinesFirst = this.#areLinesFirst
    // A pass that finds no free lane does not count.
    if (lanes.capacity > 0) this.#areLinesFirst = !areLinesFirst
    if (areLinesFirst) {
      await this.#startFromLines(lanes, start)
      await this.#startUnlined(lanes, start)
    } else {
      await this.#startUnlined(lanes, start)
      await this.#startFromLines(lanes, start)
    }
  }

  /** Whether a site waits in a quick line whose server may hold another lane. Of many lines, each call checks others. */
  async isQuickLineDue(lanes: Lanes): Promise<boolean> {
    const lines = [...this.#lines]
    const from = this.#checkedTo < lines.length ? this.#checkedTo : 0
    this.#checkedTo = from + Math.min(lines.length, linesCheckedAtOnce)
    for (const line of [...lines, ...lines].slice(from, this.#checkedTo)) {
      const { isSlow, host } = partsOf(line)
      if (isSlow || !lanes.hasShareLeft(host, isSlow)) continue
      if (await this.#context.isDue(line)) return true
      this.#lines.delete(line)
    }
    return false
  }

  async #startUnlined(lanes: Lanes, start: Start): Promise<void> {
    const { take } = this.#context
    for (let isMore = true, isCrowded = false; isMore && lanes.capacity > 0; ) {
      const limit = isCrowded ? sortedAtOnce : lanes.capacity
      const items = await take(limit)
      isCrowded = await this.#startOrPutBack(items, lanes, start)
      isMore = items.length >= limit
    }
  }

  async #startFromLines(lanes: Lanes, start: Start): Promise<void> {
    if (this.#elapsed() - this.#listedAt >= relistEveryMs) await this.#relist()
    for (const line of [...this.#lines]) await this.#startFrom(line, lanes, start)
  }

  async #relist(): Promise<void> {
    const listed = await listLines(this.#context.db, this.#listedTo)
    this.#listedTo = (listed.length >= linesAtOnce && listed.at(-1)) || ''
    if (this.#lines.size > linesMax) this.#lines.clear()
    this.#lines = this.#lines.union(new Set(listed))
    this.#listedAt = this.#elapsed()
  }

  async #startFrom(line: string, lanes: Lanes, start: Start): Promise<void> {
    const { isSlow, host } = partsOf(line)
    const capacity = lanes.capacityFor(host, isSlow)
    if (capacity <= 0) {
      if (isSlow && lanes.slowCapacity <= 0) lanes.preemptSlow({ forSlow: true })
      return
    }
    this.#lines.delete(line)
    const items = await this.#context.take(capacity, line)
    // To the end: round robin.
    if (items.length > 0) this.#lines.add(line)
    await this.#startOrPutBack(items, lanes, start)
  }

  /** Returns whether any item was put back. */
  async #startOrPutBack(items: readonly WorkItem[], lanes: Lanes, start: Start): Promise<boolean> {
    const putBack = items.filter((item) => {
      const hasCapacity = lanes.hasCapacity(partyOf(item))
      if (hasCapacity) start(item)
      else this.#context.onPutBack(item)
      return !hasCapacity
    })
    const byLine = Map.groupBy(putBack, (item) => lineOf(partyOf(item), lanes))
    for (const [line, items] of byLine) {
      await putInLine(this.#context.db, items, line)
      this.#lines.add(line)
    }
    return putBack.length > 0
  }
}

export function partyOf({ did, pds }: Pick<WorkItem, 'did' | 'pds'>): Party {
  return { account: did, host: pds !== null && URL.canParse(pds) ? new URL(pds).host : null }
}

const lineOf = (party: Party, lanes: Lanes): string =>
  `${lanes.isSlow(party) ? 'slow' : 'quick'} ${party.host ?? ''}`

function partsOf(line: string): { isSlow: boolean; host: string | null } {
  const [pace, host] = line.split(' ')
  return { isSlow: pace === 'slow', host: host || null }
}
