import { LruMap } from '#concurrency/lru-map.ts'
import { type ContentCoding, preferredCoding } from '#http/accept-encoding.ts'

/** A set of codings, best first, identity included. Equal sets are the same object. */
export interface CodingSet {
  readonly codings: readonly ContentCoding[]
  /** Index in the list of all sets. */
  readonly index: number
}

export function codingSet(coded: readonly ContentCoding[]): CodingSet {
  const index = bestFirst.reduce(
    (bits, coding, i) => bits + (coded.includes(coding) ? 1 << i : 0),
    0,
  )
  return sets[index] as CodingSet
}

/**
 * Smallest first, for equal weights. Measured (343 scripts, styles, pages and data of 1 KiB to 1 MiB, brotli 11,
 * zstd 19, gzip 9): 24.2, 25.6 and 27.6 % of the content, and brotli the smallest for each.
 */
const bestFirst = ['br', 'zstd', 'gzip'] as const

const sets: readonly CodingSet[] = Array.from({ length: 1 << bestFirst.length }, (_, index) => ({
  index,
  codings: [...bestFirst.filter((_, i) => index & (1 << i)), 'identity'],
}))

const headersMax = 1000
const headerCharsMax = 200

/**
 * Caches `preferredCoding`: browsers send a handful of different `Accept-Encoding`. Bounded; overlong headers are
 * parsed every time.
 */
export class CodingChoices {
  readonly #known = new LruMap<string, (ContentCoding | undefined)[]>(headersMax)

  choose(header: string | null, { codings, index }: CodingSet): ContentCoding {
    if (header === null || index === 0) return 'identity'
    const known = this.#known.get(header) ?? this.#remember(header)
    const chosen = known[index] ?? preferredCoding(header, codings)
    known[index] = chosen
    return chosen
  }

  #remember(header: string): (ContentCoding | undefined)[] {
    const choices: (ContentCoding | undefined)[] = []
    if (header.length > headerCharsMax) return choices
    this.#known.set(header, choices)
    return choices
  }
}
