import { isForCertificates } from '#site/request-path.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import { EncodedPath, matchPath } from './encoded-path.ts'
import { conditionsHold, queryHolds, VisitorFacts } from './redirect-conditions.ts'
import { isRedirection, type RedirectRule, type RedirectStatus } from './redirect-rule.ts'
import { addressOf, fillTarget, type Here, loopOf } from './redirect-target.ts'
import type { RedirectRules } from './redirects-file.ts'
import { type RuleIndex, visitRules } from './rule-index.ts'
import type { TemplateValues } from './template.ts'

export interface RedirectMatch {
  /** Of `_redirects`. */
  readonly line: number
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
  const trailingSlash = request.pathname.endsWith('/')
  const path = new EncodedPath({ ok: true, segments, trailingSlash })
  const visitor = new VisitorFacts(request)
  const applying = firstToApply(rules[kind], path, visitor)
  if (applying === null) return null
  const { rule, captures } = applying
  const target = targetOf(rule, withQuery(captures, rule, visitor), {
    host: request.host,
    path,
    search: request.search,
  })
  return target === undefined
    ? null
    : { line: rule.line, status: rule.status, target, vary: rules.fields }
}

function firstToApply(
  rules: RuleIndex<RedirectRule>,
  path: EncodedPath,
  visitor: VisitorFacts,
): { readonly rule: RedirectRule; readonly captures: TemplateValues } | null {
  let applying: { rule: RedirectRule; captures: TemplateValues } | null = null
  visitRules(rules, path.segments, (rule) => {
    const captures = isFor(rule, visitor) ? matchPath(rule.from, path) : null
    if (captures !== null) applying = { rule, captures }
    return captures !== null
  })
  return applying
}

/** Everything except the path, which costs more. */
function isFor({ host, query, conditions }: RedirectRule, visitor: VisitorFacts): boolean {
  return (
    (host === null || host === visitor.request.host) &&
    (query.length === 0 || queryHolds(query, visitor.query)) &&
    (conditions.length === 0 || conditionsHold(conditions, visitor))
  )
}

/** The captures and the named values of the query, in which slashes are escaped. */
function withQuery(
  captures: TemplateValues,
  { query }: RedirectRule,
  visitor: VisitorFacts,
): TemplateValues {
  const values = new Map<string | null, string>()
  for (const { key, name } of query) {
    values.set(name, encodeURIComponent(visitor.query.get(key) ?? ''))
  }
  return { get: (name) => values.get(name) ?? captures.get(name) }
}

/** `undefined` when the rule cannot be followed. */
function targetOf(
  { from, query, target, status }: RedirectRule,
  values: TemplateValues,
  here: Here,
): string | null | undefined {
  if (target === null) return null
  const destination = fillTarget(target, values, here.search)
  if (destination === null) return undefined
  if (!isRedirection(status)) return destination.pathname
  const loop = loopOf({ from, query, target }, destination, here)
  return loop === null ? addressOf(destination) : undefined
}
