import { requestPathBytesMax } from './limits.ts'

export type RequestPath =
  | {
      readonly ok: true
      /** Decoded once; none is empty, `.` or `..`, or holds a slash, a backslash or NUL. */
      readonly segments: readonly string[]
      /** Whether the address is one of a directory; so is that of the root. */
      readonly trailingSlash: boolean
    }
  | { readonly ok: false; readonly status: 400 | 414 }

/**
 * Reads the path of a request, still percent-encoded, dot segments already removed (`new URL` and
 * Bun do that). Repeated slashes count as one. Never throws.
 */
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

/** RFC 8555 §8.3: whoever asks for these proves that the domain leads here. No rule of a site is about them. */
export function isForCertificates(segments: readonly string[]): boolean {
  return segments[0] === '.well-known' && segments[1] === 'acme-challenge'
}

/** `null` for a bad escape, for bad UTF-8, and for what would be more than one segment. */
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
