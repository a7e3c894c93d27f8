import type { HeaderList } from '#http/header-fields.ts'
import { isForDomainProof, parseRequestPath } from '#site/request-path.ts'
import { visitHeaderChanges } from '#site/rules/apply-header-rules.ts'
import type { HeaderOrigin } from '#site/rules/header-block.ts'
import { matchRedirect } from '#site/rules/match-redirect.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import type { Decision } from './decision.ts'
import { fileFields } from './file-fields.ts'
import { listingFields, missingFields, redirectFields } from './own-answers.ts'
import type { Place } from './place.ts'
import { type Decided, decide } from './resolve.ts'
import type { ServableSite } from './servable-site.ts'

/** Why visitors of an address get what they get. */
export interface Explanation {
  readonly status: number
  readonly by: Decided['by']
  /** The file that is shown; null: none is. */
  readonly file: string | null
  /** Where visitors are redirected; null: nowhere. */
  readonly location: string | null
  /** The rule of `_redirects` that decided; null: none did. */
  readonly rule: RuleLine | null
  /** A rule that would apply if there were no such file; null: there is none. */
  readonly overruled: RuleLine | null
  /** Those of the answer to a browser that has nothing of the site yet, without those of its body. */
  readonly headers: readonly ExplainedHeader[]
}

/** A line of `_redirects`. */
export interface RuleLine {
  /** From 1. */
  readonly line: number
  readonly text: string
}

export interface ExplainedHeader {
  readonly name: string
  /** Null: the owner removed it. */
  readonly value: string | null
  /** What the owner said about it, in the order in which it applies; empty: it is the service's own. */
  readonly from: readonly HeaderOrigin[]
}

/** Explains what `resolve` decides for this request at this place of the live version. Never throws. */
export function explain(site: ServableSite, request: VisitorRequest, place: Place): Explanation {
  if (place.isUnderBaseDomain && isForDomainProof(request.pathname)) return closed
  const { by, decision } = decide(site, request)
  const isOfRule = by === 'rule' || by === 'forced-rule'
  return {
    status: statusOf(decision),
    by,
    file: decision.kind === 'file' ? decision.path : null,
    location: decision.kind === 'redirect' ? decision.location : null,
    rule: isOfRule ? ruleFor(site, request, by === 'rule' ? 'unforced' : 'forced') : null,
    overruled: by === 'file' ? ruleFor(site, request, 'unforced') : null,
    headers: explainHeaders(site, decision, place),
  }
}

/** As the edge answers there, whatever the site has. */
const closed: Explanation = {
  ...{ status: 404, by: 'reserved', file: null, location: null, rule: null, overruled: null },
  headers: [],
}

function statusOf(decision: Decision): number {
  switch (decision.kind) {
    case 'file':
    case 'redirect':
    case 'missing':
    case 'listing':
      return decision.status
    case 'options':
      return 204
    case 'method-not-allowed':
      return 405
    case 'bad-request':
      return 400
    case 'uri-too-long':
      return 414
  }
}

function ruleFor(
  { redirects, snapshot }: ServableSite,
  request: VisitorRequest,
  kind: 'forced' | 'unforced',
): RuleLine | null {
  const path = parseRequestPath(request.pathname)
  const match = path.ok ? matchRedirect(redirects, request, path.segments, kind) : null
  if (match === null) return null
  const text = snapshot.redirects.split('\n', match.line).at(-1) ?? ''
  return { line: match.line, text: text.trim() }
}

function explainHeaders(
  site: ServableSite,
  decision: Decision,
  place: Place,
): readonly ExplainedHeader[] {
  const fields = fieldsOf(site, decision, place)
  if (fields === null) return []
  const origins = new Map<string, HeaderOrigin[]>()
  const removed = new Set<string>()
  visitHeaderChanges(site.headers, place, ({ from, name, value }) => {
    origins.set(name, [...(origins.get(name) ?? []), from])
    if (value === null) removed.add(name)
    else removed.delete(name)
  })
  for (const name of ownFieldsOf(decision)) origins.delete(name)
  for (const [name] of fields) removed.delete(name)
  return [
    ...fields.map(([name, value]) => ({ name, value, from: origins.get(name) ?? [] })),
    ...[...removed].map((name) => ({ name, value: null, from: origins.get(name) ?? [] })),
  ]
}

/** The headers about which the owner's rules have no say. */
function ownFieldsOf(decision: Decision): readonly string[] {
  switch (decision.kind) {
    case 'file':
      return decision.status === 200 ? [] : ['cache-control']
    case 'listing':
      return ['content-type']
    case 'missing':
      return ['cache-control', 'content-type']
    case 'redirect':
      return ['cache-control', 'location']
    case 'options':
    case 'method-not-allowed':
    case 'bad-request':
    case 'uri-too-long':
      return []
  }
}

/** Null for an answer to which the owner's rules do not apply. */
function fieldsOf(site: ServableSite, decision: Decision, place: Place): HeaderList | null {
  switch (decision.kind) {
    case 'file':
      return fileFields(site, decision, place).fields
    case 'redirect':
      return redirectFields(site, place, decision)
    case 'listing':
      return listingFields(site, place, decision, 'page')
    case 'missing':
      return missingFields(site, place, decision)
    case 'options':
    case 'method-not-allowed':
    case 'bad-request':
    case 'uri-too-long':
      return null
  }
}
