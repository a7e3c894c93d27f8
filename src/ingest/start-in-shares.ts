import type { Lanes } from '#concurrency/lanes.ts'
import { type Party, serversOf } from '#concurrency/pace-history.ts'
import type { Db } from '#store/database/database.ts'
import type { WorkKind } from '#store/database/schema.ts'
import { linesAtOnce, listLines } from '#store/queues/queued.ts'
import { putInLine, type WorkItem } from '#store/queues/work-items.ts'

const relistEveryMs = 1_000
/** Items taken in one query to sort into lines, when one server has many. */
const sortedAtOnce = 256
/** Each takes a query. */
const linesAskedAtOnce = 256
/** Beyond this number, lines are forgotten until they are listed again. */
const linesMax = 20_000

interface StartContext {
  readonly db: Db
  readonly kind: WorkKind
  /** Milliseconds of a monotonic clock. */
  readonly elapsed?: () => number
  /** Takes due items of at most `limit` accounts; without a line, those that are in none. */
  readonly take: (limit: number, line?: string) => Promise<readonly WorkItem[]>
  /** Whether `take` would return an item of this line. */
  readonly isDue: (line: string) => Promise<boolean>
  /** An item was taken and not started. */
  readonly onPutBack: (item: WorkItem) => void
}

type Start = (item: WorkItem) => void

interface Line {
  readonly name: string
  readonly isSlow: boolean
  /** Null: unknown. */
  readonly host: string | null
  /** The same for all lines that share lanes, and for all that share those of one domain. */
  readonly ofLanes: string
  readonly ofDomain: string
}

/**
 * Starts due sites in lanes, each server within its share. A site whose server has used its share goes into that
 * server's line, so that later queries skip it, and starts from there when a lane is free. A server has one line for
 * quick accounts and one for slow ones. Sites in lines and sites in none are first by turns: neither takes every lane.
 */
export class StartInShares {
  readonly #context: StartContext
  readonly #elapsed: () => number
  /** Lines with items, by name; the next one to start from comes first. */
  readonly #lines = new Map<string, Line>()
  #listedAt = Number.NEGATIVE_INFINITY
  /** The last line that was listed; empty: the next list begins anew. */
  #listedTo = ''
  #areLinesFirst = false

  constructor(context: StartContext) {
    this.#context = context
    this.#elapsed = context.elapsed ?? (() => performance.now())
  }

  /** Returns whether nothing is left that is due. */
  async start(lanes: Lanes, start: Start): Promise<boolean> {
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
    return lanes.capacity > 0 && this.#lines.size === 0
  }

  /** Whether a site waits in a quick line whose server may hold another lane. Of many such lines, each call asks others. */
  async isQuickLineDue(lanes: Lanes): Promise<boolean> {
    const quick = this.#lines.values().filter(({ isSlow }) => !isSlow)
    const withShare = withoutLimit(quick, ({ host }) => lanes.usedShareOf(host, false))
    for (const { name } of withShare.take(linesAskedAtOnce)) {
      if (await this.#context.isDue(name)) return true
      this.#lines.delete(name)
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
    const startable = withoutLimit([...this.#lines.values()], ({ host, isSlow }) => {
      const limit = lanes.limitFor(host, isSlow)
      if (isSlow && limit === 'lanes') lanes.preemptSlow({ forSlow: true })
      return limit
    })
    for (const line of startable) await this.#startFrom(line, lanes, start)
  }

  async #relist(): Promise<void> {
    const listed = await listLines(this.#context.db, this.#context.kind, this.#listedTo)
    this.#listedTo = (listed.length >= linesAtOnce && listed.at(-1)) || ''
    if (this.#lines.size > linesMax) this.#lines.clear()
    for (const name of listed) this.#add(name)
    this.#listedAt = this.#elapsed()
  }

  /** At the end, unless it is there. */
  #add(name: string): void {
    if (!this.#lines.has(name)) this.#lines.set(name, lineNamed(name))
  }

  async #startFrom({ host, isSlow, name }: Line, lanes: Lanes, start: Start): Promise<void> {
    this.#lines.delete(name)
    const items = await this.#context.take(lanes.capacityFor(host, isSlow), name)
    // To the end: round robin.
    if (items.length > 0) this.#add(name)
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
    const byLine = Map.groupBy(putBack, (item) => lineNameOf(partyOf(item), lanes))
    for (const [name, items] of byLine) {
      await putInLine(this.#context.db, items, name)
      this.#add(name)
    }
    return putBack.length > 0
  }
}

export function partyOf({ did, pds }: Pick<WorkItem, 'did' | 'pds'>): Party {
  return { account: did, host: pds !== null && URL.canParse(pds) ? new URL(pds).host : null }
}

const lineNameOf = (party: Party, lanes: Lanes): string =>
  `${lanes.isSlow(party) ? 'slow' : 'quick'} ${party.host ?? ''}`

function lineNamed(name: string): Line {
  const [pace = '', host] = name.split(' ')
  const domain = host ? serversOf(host).at(-1) : ''
  return {
    name,
    isSlow: pace === 'slow',
    host: host || null,
    ofLanes: pace,
    ofDomain: `${pace} ${domain}`,
  }
}

/**
 * The lines of which `limitOf` returns null when they are reached. A limit that many lines share is looked at once: with
 * 20 000 lines, to look at each took 0.2 s.
 */
function* withoutLimit(
  lines: Iterable<Line>,
  limitOf: (line: Line) => ReturnType<Lanes['limitFor']>,
): Generator<Line, void> {
  const limited = new Set<string>()
  for (const line of lines) {
    if (limited.has(line.ofLanes) || limited.has(line.ofDomain)) continue
    const limit = limitOf(line)
    if (limit === null) yield line
    else if (limit === 'lanes') limited.add(line.ofLanes)
    else if (limit === 'domain') limited.add(line.ofDomain)
  }
}
