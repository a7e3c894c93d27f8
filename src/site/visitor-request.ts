/** A visitor's request as the pure decisions see it. */
export interface VisitorRequest {
  readonly method: string
  /** As it was sent, percent-encoded; begins with a slash. */
  readonly pathname: string
  /** With its question mark, or empty. */
  readonly search: string
  /** Canonical: lower case, no port, no trailing dot. */
  readonly host: string
  /** A field of the request, by lower-case name. Read only where a decision needs it. */
  readonly header: (name: string) => string | null
  /** ISO 3166-1 alpha-2, upper case, as a trusted front said; null without one. */
  readonly country: string | null
}
