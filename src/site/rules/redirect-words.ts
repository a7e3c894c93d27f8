import { isWebAddress } from '#http/web-address.ts'

/** The words of one rule, by what their places say they are. */
export interface RedirectWords {
  readonly from: string
  readonly query: readonly string[]
  readonly to: string | null
  readonly status: string | null
  readonly conditions: readonly string[]
}

/** Null for a line without a rule, a sentence for one that has a word too many. */
export function sortRedirectWords(line: string): RedirectWords | string | null {
  const [from, ...words] = withoutComment(line.split(/\s+/))
  if (from === undefined || from === '') return null
  const query: string[] = []
  const conditions: string[] = []
  let to: string | null = null
  let status: string | null = null
  for (const word of words) {
    const isFirstHalf = to === null && status === null
    if (isAddress(word) && isFirstHalf) to = word
    else if (/^\d+!?$/.test(word) && status === null) status = word
    else if (isAddress(word) || !word.includes('=')) return `cannot tell what ${quote(word)} is for`
    else (isFirstHalf ? query : conditions).push(word)
  }
  return { from, query, to, status, conditions }
}

/** A word of a rule, for a sentence about it. */
export function quote(word: string): string {
  return JSON.stringify(word.length > quotedCharsMax ? `${word.slice(0, quotedCharsMax)}…` : word)
}

const quotedCharsMax = 100

const isAddress = (word: string): boolean => word.startsWith('/') || isWebAddress(word)

function withoutComment(words: readonly string[]): readonly string[] {
  const comment = words.findIndex((word) => word.startsWith('#'))
  return comment === -1 ? words : words.slice(0, comment)
}
