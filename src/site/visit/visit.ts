import type { RequestPath } from '#site/request-path.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import type { Address } from './addresses.ts'
import type { ServableSite } from './servable-site.ts'

/** A visitor who wants to see something of a site. */
export interface Visit {
  readonly site: ServableSite
  readonly request: VisitorRequest
  /** Of the request's path; without the slash at the end. */
  readonly segments: readonly string[]
  /** The request's path. */
  readonly address: Address
  /** Milliseconds since the epoch. */
  readonly now: number
}

export function addressOf(path: Extract<RequestPath, { ok: true }>): Address {
  return { path: path.segments.join('/'), isDirectory: path.trailingSlash }
}
