import type { StoredFile } from './find-file.ts'
import type { ListingEntry } from './listing.ts'
import type { SnapshotFile } from './snapshot.ts'

/** What a visitor gets, before bodies, conditional requests and ranges. */
export type Decision =
  | {
      readonly kind: 'file'
      readonly status: PageStatus
      /** The file's path in the site. */
      readonly path: string
      readonly file: SnapshotFile
      /** Every GET and HEAD of this path gets it, regardless of headers and query. A file has at most two such paths. */
      readonly isForEveryone: boolean
      readonly vary: Vary
    }
  | {
      readonly kind: 'redirect'
      readonly status: 301 | 302 | 303 | 307 | 308
      /** Visible ASCII: a path with exactly one leading slash, or an absolute http(s) URL. */
      readonly location: string
      readonly vary: Vary
    }
  | {
      readonly kind: 'listing'
      /** 404: of the root, in place of a page that the site does not have. */
      readonly status: 200 | 404
      /** The directory's path in the site, empty for the root. */
      readonly path: string
      readonly entries: readonly ListingEntry[]
      readonly vary: Vary
    }
  /** The site has no page for this status; the service's own is shown. */
  | { readonly kind: 'missing'; readonly status: MissingStatus; readonly vary: Vary }
  | { readonly kind: 'options'; readonly allow: string }
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'bad-request' }
  | { readonly kind: 'uri-too-long' }

export type MissingStatus = 404 | 410 | 451
export type PageStatus = 200 | MissingStatus

/** Lower-case names of the request headers that the decision depends on. */
export type Vary = readonly string[]

/** For this visitor; others may get something else at the same path. */
export function show({ path, file }: StoredFile, status: PageStatus, vary: Vary): Decision {
  return { kind: 'file', status, path, file, isForEveryone: false, vary }
}

export function missing(status: MissingStatus, vary: Vary): Decision {
  return { kind: 'missing', status, vary }
}
