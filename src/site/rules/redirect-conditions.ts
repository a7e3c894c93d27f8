import { preferredLanguage } from '#http/accept-language.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'

export interface RedirectCondition {
  readonly about: 'country' | 'language' | 'cookie'
  /** Upper case for countries, lower case for languages, unchanged for cookie names. */
  readonly anyOf: readonly string[]
}

/** Parses `Country=us,gb`, `Language=zh` or `Cookie=is_legacy`; a sentence for anything else. */
export function parseRedirectCondition(word: string): RedirectCondition | string {
  const [key = '', ...rest] = word.split('=')
  const values = rest
    .join('=')
    .split(',')
    .filter((value) => value !== '')
  if (values.length === 0) return 'has no value to compare with'
  switch (key.toLowerCase()) {
    case 'country':
      return { about: 'country', anyOf: values.map((value) => value.toUpperCase()) }
    case 'language':
      return { about: 'language', anyOf: values.map((value) => value.toLowerCase()) }
    case 'cookie':
      return { about: 'cookie', anyOf: values }
    default:
      return 'is not a known condition; these are Country, Language and Cookie'
  }
}

export function conditionsHold(
  conditions: readonly RedirectCondition[],
  visitor: VisitorFacts,
): boolean {
  return conditions.every(({ about, anyOf }) =>
    anyOf.some((wanted) => holds(about, wanted, visitor)),
  )
}

/** The request header that a condition reads. Null for countries, which a trusted front reports. */
export function fieldOf({ about }: RedirectCondition): string | null {
  switch (about) {
    case 'country':
      return null
    case 'language':
      return 'accept-language'
    case 'cookie':
      return 'cookie'
  }
}

function holds(about: RedirectCondition['about'], wanted: string, visitor: VisitorFacts): boolean {
  switch (about) {
    case 'country':
      return visitor.request.country === wanted
    case 'language':
      return isWithin(wanted, visitor.language)
    case 'cookie':
      return visitor.cookies.has(wanted)
  }
}

/** RFC 4647 §3.3.1: `zh` matches `zh-CN` too. */
function isWithin(range: string, language: string | null): boolean {
  if (language === null || !language.startsWith(range)) return false
  return language.length === range.length || language[range.length] === '-'
}

/** A key that a request's query must contain, in any order and among others. */
export interface QueryCondition {
  readonly key: string
  /** The required value; null for any. */
  readonly value: string | null
  /** The placeholder for the value in a target; null if the value is fixed. */
  readonly name: string | null
}

/** Parses `k=x`, `k=` or `k=:name`, encoded as in a URL; a sentence for anything else. */
export function parseQueryCondition(word: string): QueryCondition | string {
  const equals = word.indexOf('=')
  const key = decode(word.slice(0, equals))
  const raw = word.slice(equals + 1)
  const value = decode(raw)
  if (key === null || value === null) return 'has a bad % escape'
  if (key === '') return 'has no key before the ='
  const name = /^:([A-Za-z_]\w*)$/.exec(raw)?.[1] ?? null
  return { key, value: name === null ? value : null, name }
}

export function queryHolds(
  conditions: readonly QueryCondition[],
  query: ReadonlyMap<string, string>,
): boolean {
  return conditions.every(({ key, value }) => {
    const actual = query.get(key)
    return actual !== undefined && (value === null || value === actual)
  })
}

/** Decodes as `URLSearchParams` does for a request. */
function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** A request and what rules compare of it; each is computed once, on first use. */
export class VisitorFacts {
  readonly request: VisitorRequest
  #query: ReadonlyMap<string, string> | null = null
  #cookies: ReadonlySet<string> | null = null
  #language: string | null | undefined

  constructor(request: VisitorRequest) {
    this.request = request
  }

  /** Decoded as a form; the last of repeated keys wins. */
  get query(): ReadonlyMap<string, string> {
    this.#query ??= new Map(new URLSearchParams(this.request.search))
    return this.#query
  }

  /** Names of cookies with or without a value. */
  get cookies(): ReadonlySet<string> {
    this.#cookies ??= cookieNames(this.request.header('cookie') ?? '')
    return this.#cookies
  }

  /** The preferred language, lower case. */
  get language(): string | null {
    if (this.#language === undefined) {
      this.#language = preferredLanguage(this.request.header('accept-language'))
    }
    return this.#language
  }
}

function cookieNames(header: string): Set<string> {
  return new Set(header.split(';').map((pair) => (pair.split('=', 1)[0] ?? '').trim()))
}
