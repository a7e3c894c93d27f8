import { isWebAddress } from '#http/web-address.ts'
import { isForCertificates } from '#site/request-path.ts'
import { compileEncodedMatch } from './encoded-captures.ts'
import type { HeaderBlock } from './header-block.ts'
import { compileGlobPattern, type PathPattern } from './path-pattern.ts'

export type BlockAddress =
  | (Pick<HeaderBlock, 'host' | 'pattern' | 'match'> & {
      readonly ok: true
      /** What `match` gives values to. */
      readonly names: ReadonlySet<string>
      /** How often text between two stars is searched for in a path. */
      readonly searches: number
      /** What was taken literally, though it may have been meant otherwise. */
      readonly problem: string | null
    })
  | { readonly ok: false; readonly problem: string }

/** Reads the line that opens a block of a `_headers`: `/path` or `https://host/path`. Never throws. */
export function readBlockAddress(text: string): BlockAddress {
  const [address = '', next] = text.split(/\s+/)
  if (next !== undefined && !next.startsWith('#')) {
    return { ok: false, problem: 'a path has no spaces; write %20' }
  }
  return readAddress(address)
}

/**
 * Reads the `path` of a header in a site's settings: as in a `_headers`, but spaces are part of it, and
 * without any slash it is about the end of an address, after any segments. Never throws.
 */
export function readSettingPath(path: string): BlockAddress {
  if (!path.includes('/')) return addressOf(null, path === '*' ? '/*' : `/*/${path}`)
  const isWhole = path.startsWith('/') || isWebAddress(path)
  return isWhole ? readAddress(path) : addressOf(null, `/${path}`)
}

function readAddress(address: string): BlockAddress {
  if (address.startsWith('/')) return addressOf(null, address)
  // Without a port: sites are served on one.
  const [, host, path] = /^https:\/\/([a-z0-9.-]+)(\/.*)?$/i.exec(address) ?? []
  if (host === undefined) return { ok: false, problem: 'expected https://, a host and a path' }
  return addressOf(host.toLowerCase().replace(/\.$/, ''), path ?? '/')
}

function addressOf(host: string | null, path: string): BlockAddress {
  if (/[?#]/.test(path))
    return { ok: false, problem: 'is not only a path; %3F and %23 are part of one' }
  const compiled = compileGlobPattern(path)
  if (!compiled.ok) return compiled
  const { pattern, glob, problem } = compiled
  if (isAboutCertificates(pattern)) return { ok: false, problem: neverForCertificates }
  return {
    ok: true,
    host,
    pattern,
    match: compileEncodedMatch(pattern, glob),
    names: pattern.names,
    searches: glob?.middle.length ?? 0,
    problem,
  }
}

function isAboutCertificates({ head }: PathPattern): boolean {
  const [first, second] = head
  return (
    first?.kind === 'literal' &&
    second?.kind === 'literal' &&
    isForCertificates([first.text, second.text])
  )
}

const neverForCertificates =
  'has no effect: the addresses that prove a domain have no headers of yours'
