export interface VisitorRequest {
  readonly method: string
  /** Percent-encoded; begins with a slash. */
  readonly pathname: string
  /** With its question mark, or empty. */
  readonly search: string
  /** Canonical: lower case, no port, no trailing dot. */
  readonly host: string
  /** A header by lower-case name. Read only where a decision needs it. */
  readonly header: (name: string) => string | null
  /** ISO 3166-1 alpha-2, upper case, from a trusted front; null without one. */
  readonly country: string | null
}
