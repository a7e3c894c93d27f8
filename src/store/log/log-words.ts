import type { LogEntry } from '#observe/log-entry.ts'

/** What an administrator asks of the log. */
export interface LogFilter {
  readonly level?: string | undefined
  readonly service?: string | undefined
  readonly eventType?: string | undefined
  /** Words that all have to be in the entry; the last may be the beginning of one. */
  readonly search?: string | undefined
}

/** More words of an entry cannot be found. */
const wordsMax = 200
const wordCharsMax = 64
const searchedWordsMax = 20
/** The longest words whose beginnings are indexed; of words without digits only: nobody types half an id. */
const beginningCharsMax = 12
/** Longer texts, such as sentences and stacks, are found by whole words: their beginnings would be most of the index. */
const shortTextChars = 64

/**
 * The words by which the database finds an entry: those of its texts and of the names of its fields, their beginnings (`pub^`), and its level, service and
 * event (`level=warn`). A DID, a host name or an id is several words, at whatever is neither letter nor digit.
 */
export function wordsOf(entry: LogEntry): Set<string> {
  const { context, event, level, message, service, traceId } = entry
  const texts = [message, event ?? '', traceId ?? '', ...Object.entries(context).flat().map(String)]
  const words = new Set(texts.flatMap(splitWords).slice(0, wordsMax))
  const shortTexts = texts.filter((text) => text.length <= shortTextChars)
  const typed = new Set(shortTexts.flatMap(splitWords).slice(0, wordsMax))
  const beginnings = [...words]
    .filter(hasBeginnings)
    .flatMap((word) => (typed.has(word) ? beginningsOf(word) : [`${word}^`]))
  return new Set([
    ...[...words, ...beginnings].map(inAscii),
    `level=${level}`,
    `service=${service}`,
    ...(event === null ? [] : [`event=${event}`]),
  ])
}

/** The words that an entry must have to be found; none: every entry. Null: no entry can have them. */
export function searchedWords(filter: LogFilter): readonly string[] | null {
  const { eventType, level, search = '', service } = filter
  const words = splitWords(search)
  // What was asked for has nothing that could be found, such as `!?`.
  if (words.length === 0 && search.trim() !== '') return null
  const last = words.at(-1)
  const facets = [
    ...(level === undefined ? [] : [`level=${level}`]),
    ...(service === undefined ? [] : [`service=${service}`]),
    ...(eventType === undefined ? [] : [`event=${eventType}`]),
  ]
  if (last === undefined) return facets
  // Someone still types it, unless something that ends a word follows.
  const end = hasBeginnings(last) && /[\p{L}\p{N}]$/u.test(search) ? `${last}^` : last
  const searched = new Set([...words.slice(0, -1).slice(-searchedWordsMax), end])
  return [...facets, ...[...searched].map(inAscii)]
}

function splitWords(text: string): string[] {
  const words =
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) => word.slice(0, wordCharsMax))
}

/** The databases know letters of different versions of Unicode, and would split words at others. */
const inAscii = (word: string): string =>
  word.replace(/[^a-z0-9^]/gu, (character) => `_${character.codePointAt(0)?.toString(16)}_`)

const hasBeginnings = (word: string): boolean =>
  word.length <= beginningCharsMax && /^\p{L}+$/u.test(word)

function beginningsOf(word: string): string[] {
  return [...word].map((_, at, characters) => `${characters.slice(0, at + 1).join('')}^`)
}
