import { isForCertificates } from '#site/request-path.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import { type Captures, encodeCapture, matchPathPattern } from './path-pattern.ts'
import { conditionsHold, queryHolds, VisitorFacts } from './redirect-conditions.ts'
import { isRedirection, type RedirectRule, type RedirectStatus } from './redirect-rule.ts'
import { addressOf, fillTarget, type Here, isLoop } from './redirect-target.ts'
import type { RedirectRules } from './redirects.ts'
import { type RuleIndex, visitRules } from './rule-index.ts'

/** The outcome of the rule that applies. */
export interface RedirectMatch {
  readonly status: RedirectStatus
  /**
   * Visible ASCII. For 3xx a `Location`, query merged: an http(s) address, or a path with exactly one leading
   * slash. Otherwise the percent-encoded path of the file to show; null for the service's own page.
   */
  readonly target: string | null
  /** Lower-case names of the request headers that the answer depends on. */
  readonly vary: readonly string[]
}

/**
 * The first rule in file order that applies, among those with `!` or those without. Null if there is none, if it
 * would loop, or if its target is too long for a header. `segments` are the decoded segments of the request's
 * path. Linear in the path; never throws.
 */
export function matchRedirect(
  rules: RedirectRules,
  request: VisitorRequest,
  segments: readonly string[],
  kind: 'forced' | 'unforced',
): RedirectMatch | null {
  if (isForCertificates(segments)) return null
  const path = { ok: true, segments, trailingSlash: request.pathname.endsWith('/') } as const
  const visitor = new VisitorFacts(request)
  const applying = firstToApply(rules[kind], path, visitor)
  if (applying === null) return null
  const { rule, captures } = applying
  const target = targetOf(rule, encodeAll(captures, rule, visitor), {
    host: request.host,
    path,
    search: request.search,
  })
  return target === undefined ? null : { status: rule.status, target, vary: rules.fields }
}

function firstToApply(
  rules: RuleIndex<RedirectRule>,
  path: Here['path'],
  visitor: VisitorFacts,
): { readonly rule: RedirectRule; readonly captures: Captures } | null {
  let applying: { rule: RedirectRule; captures: Captures } | null = null
  visitRules(rules, path.segments[0] ?? '', (rule) => {
    const captures = isFor(rule, visitor) ? matchPathPattern(rule.from, path) : null
    if (captures !== null) applying = { rule, captures }
    return captures !== null
  })
  return applying
}

/** Everything except the path, which costs more. */
function isFor({ host, query, conditions }: RedirectRule, visitor: VisitorFacts): boolean {
  return (
    (host === null || host === visitor.host) &&
    (query.length === 0 || queryHolds(query, visitor.query)) &&
    conditionsHold(conditions, visitor)
  )
}

/** Slashes in the capture of a `*` stay; in query values they are escaped. */
function encodeAll(
  captures: ReadonlyMap<string, string>,
  { query }: RedirectRule,
  visitor: VisitorFacts,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const [name, text] of captures) values.set(name, encodeCapture(text))
  for (const { key, name } of query) {
    if (name !== null) values.set(name, encodeURIComponent(visitor.query.get(key) ?? ''))
  }
  return values
}

/** `undefined` when the rule cannot be followed. */
function targetOf(
  { from, query, target, status }: RedirectRule,
  values: ReadonlyMap<string, string>,
  here: Here,
): string | null | undefined {
  if (target === null) return null
  const destination = fillTarget(target, values, here.search)
  if (destination === null) return undefined
  if (!isRedirection(status)) return destination.pathname
  return isLoop({ from, query, target }, destination, here) ? undefined : addressOf(destination)
}
