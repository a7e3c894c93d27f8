import { isWebAddress, parseWebAddress } from '#http/web-address.ts'
import { compilePathPattern, type PathPattern } from './path-pattern.ts'

/** Which addresses a rule is about. */
export interface RedirectSource {
  /** Canonical; null for every host of the site. */
  readonly host: string | null
  readonly from: PathPattern
  /** What its author may have meant otherwise. */
  readonly remarks: readonly string[]
}

/** Reads a path, or an http(s) address whose scheme and port do not count; a sentence if it is none. */
export function parseRedirectSource(text: string): RedirectSource | string {
  const address = isWebAddress(text) ? parseWebAddress(text) : null
  if (address === null && !text.startsWith('/')) return 'is neither a path nor an address'
  const path = address === null ? text : address.rest || '/'
  if (/[?#]/.test(path)) return 'is not only a path; keys of a query are words of their own'
  const compiled = compilePathPattern(path)
  if (!compiled.ok) return compiled.problem
  const remarks = compiled.problem === null ? [] : [compiled.problem]
  return { host: address?.host ?? null, from: compiled.pattern, remarks }
}
