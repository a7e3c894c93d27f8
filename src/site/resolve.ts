import { parseRequestPath } from './request-path.ts'
import type { Snapshot, SnapshotFile } from './snapshot.ts'

export interface VisitorRequest {
  readonly method: string
  /** As it was sent, percent-encoded. */
  readonly pathname: string
  /** With its question mark; kept by redirects. */
  readonly search?: string
}

/** What a visitor gets. Bodies, conditions and ranges are for whoever puts it on the wire. */
export type Decision =
  | {
      readonly kind: 'file'
      readonly status: 200
      /** The file's path in the site. */
      readonly path: string
      readonly file: SnapshotFile
    }
  | {
      readonly kind: 'redirect'
      readonly status: 308
      /** Starts with exactly one slash; visible ASCII. */
      readonly location: string
    }
  | { readonly kind: 'options'; readonly allow: string }
  | { readonly kind: 'method-not-allowed'; readonly allow: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'bad-request' }
  | { readonly kind: 'uri-too-long' }

/** Decides what this version of a site answers. Never throws, whatever the request. */
export function resolve(snapshot: Snapshot, request: VisitorRequest): Decision {
  const path = parseRequestPath(request.pathname)
  if (!path.ok) return { kind: path.status === 414 ? 'uri-too-long' : 'bad-request' }
  if (request.method === 'OPTIONS') return { kind: 'options', allow }

  const found = lookUp(snapshot.files, path.segments, path.trailingSlash, request.search ?? '')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  return isRead || found.kind === 'not-found' ? found : { kind: 'method-not-allowed', allow }
}

const allow = 'GET, HEAD, OPTIONS'

const indexFile = 'index.html'

/** At the root they say how the site is served; none of a visitor's business. */
const reserved = new Set(['_redirects', '_headers', '.sitehostignore'])

type Files = Snapshot['files']

function lookUp(
  files: Files,
  segments: readonly string[],
  trailingSlash: boolean,
  search: string,
): Decision {
  const path = segments.join('/')
  if (reserved.has(path)) return { kind: 'not-found' }
  if (trailingSlash) return fileAt(files, [...segments, indexFile].join('/'))
  const exact = fileAt(files, path)
  if (exact.kind === 'file') return exact
  const index = fileAt(files, `${path}/${indexFile}`)
  if (index.kind !== 'file') return index
  return { kind: 'redirect', status: 308, location: directoryAddress(segments) + ascii(search) }
}

function fileAt(files: Files, path: string): Decision {
  const stored = findPath(files, path)
  const file = stored === undefined ? undefined : files.get(stored)
  if (stored === undefined || file === undefined) return { kind: 'not-found' }
  return { kind: 'file', status: 200, path: stored, file }
}

/** By bytes, then by NFC: one accent has two spellings, and people cannot see which a link has. */
function findPath(files: Files, path: string): string | undefined {
  if (files.has(path)) return path
  const composed = path.normalize('NFC')
  return files.has(composed) ? composed : decomposedNames(files).get(composed)
}

/**
 * Files whose stored names are not in NFC (macOS decomposes accents), by the NFC form that a link to
 * them has. Empty for nearly every site, so it is made on the first miss and kept as long as its files.
 */
function decomposedNames(files: Files): ReadonlyMap<string, string> {
  const known = decomposed.get(files)
  if (known !== undefined) return known
  const names = new Map<string, string>()
  for (const path of files.keys()) {
    const composed = path.normalize('NFC')
    if (composed !== path) names.set(composed, path)
  }
  decomposed.set(files, names)
  return names
}

const decomposed = new WeakMap<Files, ReadonlyMap<string, string>>()

function directoryAddress(segments: readonly string[]): string {
  return `/${segments.map(encodeURIComponent).join('/')}/`
}

function ascii(search: string): string {
  return search.replace(/[^\x21-\x7e]+/g, (other) => encodeURIComponent(other.toWellFormed()))
}
