import type { RequestPath } from '#site/request-path.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import type { Address } from './addresses.ts'
import type { ServableSite } from './servable-site.ts'

/** A request for something of a site. */
export interface Visit {
  readonly site: ServableSite
  readonly request: VisitorRequest
  /** Decoded segments of the request's path. */
  readonly segments: readonly string[]
  readonly address: Address
  /** Milliseconds since the epoch. */
  readonly now: number
}

export function addressOf(path: Extract<RequestPath, { ok: true }>): Address {
  return { path: path.segments.join('/'), isDirectory: path.trailingSlash }
}
