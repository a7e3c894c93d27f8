import { preferredCoding } from '#site/accept-encoding.ts'
import type { ContentCoding } from '#site/encoding.ts'

/** Some of the codings, best first; identity is always among them. The same object for the same ones. */
export interface CodingSet {
  readonly codings: readonly ContentCoding[]
  /** Its place in a list of all sets. */
  readonly index: number
}

export function codingSet(coded: readonly ContentCoding[]): CodingSet {
  const index = (coded.includes('br') ? 2 : 0) + (coded.includes('gzip') ? 1 : 0)
  return sets[index] as CodingSet
}

const sets: readonly CodingSet[] = [
  { index: 0, codings: ['identity'] },
  { index: 1, codings: ['gzip', 'identity'] },
  { index: 2, codings: ['br', 'identity'] },
  { index: 3, codings: ['br', 'gzip', 'identity'] },
]

const headersMax = 1000
const headerCharsMax = 200

/**
 * `preferredCoding`, remembered: browsers send a handful of different `Accept-Encoding`. Bounded; who sends
 * ever new ones has them read each time.
 */
export class CodingChoices {
  readonly #known = new Map<string, (ContentCoding | undefined)[]>()

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
    if (this.#known.size >= headersMax) this.#known.clear()
    this.#known.set(header, choices)
    return choices
  }
}
