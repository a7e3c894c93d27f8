import { isWebAddress, parseWebAddress } from '#http/web-address.ts'
import { quote } from '#site/path.ts'
import { compilePathPattern, type PathPattern } from './path-pattern.ts'
import {
  parseQueryCondition,
  parseRedirectCondition,
  type QueryCondition,
  type RedirectCondition,
} from './redirect-conditions.ts'
import {
  describeSelfReference,
  hasTextLikeNames,
  parseRedirectTarget,
  type RedirectTarget,
} from './redirect-target.ts'

/** One line of a `_redirects`. */
export interface RedirectRule {
  /** From 1. */
  readonly line: number
  /** Canonical; null for every host of the site. */
  readonly host: string | null
  readonly from: PathPattern
  readonly query: readonly QueryCondition[]
  readonly conditions: readonly RedirectCondition[]
  /** Null only with 404, 410 and 451. */
  readonly target: RedirectTarget | null
  readonly status: RedirectStatus
  /** Whether it also applies where a file exists. */
  readonly isForced: boolean
}

const statuses = [200, 301, 302, 303, 307, 308, 404, 410, 451] as const

export type RedirectStatus = (typeof statuses)[number]

/** Whether a status redirects the visitor; the others show something in place. */
export function isRedirection(status: RedirectStatus): boolean {
  return status >= 300 && status < 400
}

type CompiledRule = Omit<RedirectRule, 'line'>

type RedirectRuleResult =
  | { readonly ok: true; readonly rule: CompiledRule; readonly remarks: readonly string[] }
  | { readonly ok: false; readonly problem: string }

/** Compiles what `sortRedirectWords` made of a line; `remarks` point out likely mistakes. Never throws. */
export function compileRedirectRule(words: RedirectWords | string): RedirectRuleResult {
  if (typeof words === 'string') return { ok: false, problem: words }
  const source = parseRedirectSource(words.from)
  if (typeof source === 'string') return refused(words.from, source)
  const query = readAll(words.query, parseQueryCondition)
  if (!query.ok) return query
  const conditions = readAll(words.conditions, parseRedirectCondition)
  if (!conditions.ok) return conditions
  const names = allNames(source.from, query.values)
  if (typeof names === 'string') return { ok: false, problem: names }
  const answer = readAnswer(words, names)
  if (!answer.ok) return answer

  const { host, from } = source
  const { target, status, isForced } = answer
  const rule = { host, from, query: query.values, conditions: conditions.values }
  const whole: CompiledRule = { ...rule, target, status, isForced }
  const problem = selfReferenceOf(whole)
  if (problem !== null) return { ok: false, problem }
  return { ok: true, rule: whole, remarks: [...source.remarks, ...remarksOn(words.to, whole)] }
}

const refused = (word: string, what: string) =>
  ({ ok: false, problem: `${quoted(word)} ${what}` }) as const

function readAll<T extends object>(
  words: readonly string[],
  read: (word: string) => T | string,
): { readonly ok: true; readonly values: readonly T[] } | ReturnType<typeof refused> {
  const values: T[] = []
  for (const word of words) {
    const value = read(word)
    if (typeof value === 'string') return refused(word, value)
    values.push(value)
  }
  return { ok: true, values }
}

function allNames(
  from: PathPattern,
  query: readonly QueryCondition[],
): ReadonlySet<string> | string {
  const names = new Set(from.names.keys())
  for (const { name } of query) {
    if (name === null) continue
    if (names.has(name)) return `has :${name} more than once`
    names.add(name)
  }
  return names
}

type Answer =
  | ({ readonly ok: true } & Pick<RedirectRule, 'target' | 'status' | 'isForced'>)
  | { readonly ok: false; readonly problem: string }

function readAnswer({ to, status: word }: RedirectWords, names: ReadonlySet<string>): Answer {
  const number = Number.parseInt(word ?? '301', 10)
  const status = statuses.find((known) => known === number)
  const isForced = word?.endsWith('!') ?? false
  if (status === undefined) return { ok: false, problem: `the status ${word} is not known` }
  if (to === null) {
    return status >= 400
      ? { ok: true, target: null, status, isForced }
      : { ok: false, problem: 'has no target' }
  }
  const target = parseRedirectTarget(to, names)
  if (typeof target === 'string') return refused(to, target)
  if (target.origin !== null && !isRedirection(status)) {
    return refused(to, `is not of this site, and ${status} shows only files of this site`)
  }
  return { ok: true, target, status, isForced }
}

/** With 404, 410 and 451 a page may be its own target. */
function selfReferenceOf({ host, from, query, target, status }: CompiledRule): string | null {
  if (target === null || status >= 400) return null
  return describeSelfReference({ host, from, query, target, isRewrite: status === 200 })
}

function remarksOn(to: string | null, { target, status }: CompiledRule): string[] {
  if (to === null || target === null) return []
  const remarks: string[] = []
  if (to.startsWith('//')) remarks.push(`${quoted(to)} is taken as a path of this site`)
  if (hasTextLikeNames(target)) remarks.push(`${quoted(to)} has a colon that is taken literally`)
  if (!isRedirection(status) && /[?#]/.test(to)) {
    remarks.push(`the query and fragment of ${quoted(to)} have no effect with ${status}`)
  }
  return remarks
}

type RedirectSource = Pick<RedirectRule, 'host' | 'from'> & {
  readonly remarks: readonly string[]
}

/** Parses a path, or an http(s) address whose scheme and port are ignored; a sentence if it is neither. */
function parseRedirectSource(text: string): RedirectSource | string {
  const address = isWebAddress(text) ? parseWebAddress(text) : null
  if (address === null && !text.startsWith('/')) return 'is neither a path nor an address'
  const path = address === null ? text : address.rest || '/'
  if (/[?#]/.test(path)) return 'is not only a path; keys of a query are words of their own'
  const compiled = compilePathPattern(path)
  if (!compiled.ok) return compiled.problem
  const remarks = compiled.problem === null ? [] : [compiled.problem]
  return { host: address?.host ?? null, from: compiled.pattern, remarks }
}

interface RedirectWords {
  readonly from: string
  readonly query: readonly string[]
  readonly to: string | null
  readonly status: string | null
  readonly conditions: readonly string[]
}

/** Null for a line without a rule, a sentence for an unexpected word. */
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
    else if (isAddress(word) || !word.includes('='))
      return `cannot tell what ${quoted(word)} is for`
    else (isFirstHalf ? query : conditions).push(word)
  }
  return { from, query, to, status, conditions }
}

const quoted = (word: string): string => quote(word, 100)

const isAddress = (word: string): boolean => word.startsWith('/') || isWebAddress(word)

function withoutComment(words: readonly string[]): readonly string[] {
  const comment = words.findIndex((word) => word.startsWith('#'))
  return comment === -1 ? words : words.slice(0, comment)
}
