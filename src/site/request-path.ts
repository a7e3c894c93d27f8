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

/**
 * Where certificate authorities look for a proof of control over a host: RFC 8555 §8.3, and the Baseline Requirements of the CA/Browser
 * Forum, §3.2.2.4.18. Below the base domain no site answers there: its owner could have a certificate that outlives the claim of the name.
 */
export function isForDomainProof(pathname: string): boolean {
  // Cheap for all others. Authorities ask for the address as it is registered, without escapes.
  if (!pathname.includes(wellKnown)) return false
  const path = parseRequestPath(pathname)
  return path.ok && path.segments[0] === '.well-known' && proofFolders.has(path.segments[1] ?? '')
}

const wellKnown = '/.well-known/'
const proofFolders: ReadonlySet<string> = new Set(['acme-challenge', 'pki-validation'])

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
