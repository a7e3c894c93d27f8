import { capturePlaces, encodedCaptures } from './encoded-captures.ts'
import type { HeaderBlock } from './header-block.ts'
import { compilePathPattern, fitsPathPattern } from './path-pattern.ts'

export type BlockAddress =
  | (Pick<HeaderBlock, 'host' | 'match'> & {
      readonly ok: true
      /** What `match` gives values to. */
      readonly names: ReadonlySet<string>
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
  if (address.startsWith('/')) return addressOf(null, address)
  // Without a port: sites are served on one.
  const [, host, path] = /^https:\/\/([a-z0-9.-]+)(\/.*)?$/i.exec(address) ?? []
  if (host === undefined) return { ok: false, problem: 'expected https://, a host and a path' }
  return addressOf(host.toLowerCase().replace(/\.$/, ''), path ?? '/')
}

/**
 * Reads the `path` of a header in a site's settings: a path as in a `_headers`, or without any slash the
 * last segment of an address, in which one `*` stands for any text, as in `*.html`. Never throws.
 */
export function readSettingPath(path: string): BlockAddress {
  if (path.includes('/')) return addressOf(null, path.startsWith('/') ? path : `/${path}`)
  const [start = '', end, more] = path.split('*')
  if (more !== undefined) return { ok: false, problem: 'has more than one *' }
  const fits = (name: string): boolean =>
    end === undefined
      ? name === start
      : name.length >= start.length + end.length && name.startsWith(start) && name.endsWith(end)
  const match: HeaderBlock['match'] = ({ segments, trailingSlash }) =>
    fits(trailingSlash ? '' : (segments.at(-1) ?? '')) ? noCaptures : null
  return { ok: true, host: null, match, names: new Set(), problem: null }
}

function addressOf(host: string | null, path: string): BlockAddress {
  const compiled = compilePathPattern(path)
  if (!compiled.ok) return compiled
  const { pattern, problem } = compiled
  const places = capturePlaces(pattern)
  const match: HeaderBlock['match'] = (asked) =>
    fitsPathPattern(pattern, asked) ? encodedCaptures(places, asked) : null
  return { ok: true, host, match, names: pattern.names, problem }
}

const noCaptures: ReadonlyMap<string, string> = new Map()
