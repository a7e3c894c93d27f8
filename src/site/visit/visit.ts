import type { RequestPath } from '#site/request-path.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import type { Address } from './addresses.ts'
import type { ServableSite } from './servable-site.ts'

export interface Visit {
  readonly site: ServableSite
  readonly request: VisitorRequest
  readonly segments: readonly string[]
  readonly address: Address
  /** Milliseconds since the epoch. */
  readonly now: number
}

export function addressOf(path: Extract<RequestPath, { ok: true }>): Address {
  return { path: path.segments.join('/'), isDirectory: path.trailingSlash }
}
