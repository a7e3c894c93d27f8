import { requestPathBytesMax } from './limits.ts'

export type RequestPath =
  | {
      readonly ok: true
      /** Decoded once; no segment is empty, `.` or `..`, or contains a slash, a backslash or NUL. */
      readonly segments: readonly string[]
      /** True for a directory's address, the root included. */
      readonly trailingSlash: boolean
    }
  | { readonly ok: false; readonly status: 400 | 414 }

/** Parses a path without dot segments (`new URL` and Bun remove them). Repeated slashes count as one. Never throws. */
export function parseRequestPath(pathname: string): RequestPath {
  if (Buffer.byteLength(pathname) > requestPathBytesMax) return { ok: false, status: 414 }
  if (!pathname.startsWith('/')) return { ok: false, status: 400 }
  const segments: string[] = []
  for (const raw of pathname.split('/')) {
    if (raw === '') continue
    const segment = decodeSegment(raw)
    if (segment === null) return { ok: false, status: 400 }
    segments.push(segment)
  }
  return { ok: true, segments, trailingSlash: pathname.endsWith('/') }
}

/** RFC 8555 §8.3: requests for these prove control of the domain. Rules of a site do not apply to them. */
export function isForCertificates(segments: readonly (string | null)[]): boolean {
  return segments[0] === '.well-known' && segments[1] === 'acme-challenge'
}

/** Null for a bad escape, bad UTF-8, and anything that would be more than one segment. */
function decodeSegment(raw: string): string | null {
  let segment: string
  try {
    segment = decodeURIComponent(raw)
  } catch {
    return null
  }
  if (segment === '.' || segment === '..') return null
  return /[/\\\0]/.test(segment) || !segment.isWellFormed() ? null : segment
}
