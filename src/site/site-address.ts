import { createHash } from 'node:crypto'
import type { Did } from '@atcute/lexicons/syntax'
import { toBase32 } from '@atcute/multibase'
import { type OwnNamespace, ownNamespace } from './namespace.ts'
import { namespaceOf, parseAnySiteName, recordKeyOf, type SiteName } from './site-name.ts'

export type { Did }

/** Identifies a site: its owner and its name among the owner's sites. */
export interface SiteAddress {
  readonly did: Did
  readonly name: SiteName
}

/**
 * `did:plc:` with its 24 characters, or `did:web:` with a lower-case host name of two labels or more. Null for
 * other methods, and for a `did:web` with a port, a path or an IP address. The connecting side checks that the
 * host is public.
 */
export function parseDid(input: string): Did | null {
  return isDidPlc(input) || isDidWeb(input) ? (input as Did) : null
}

/** `s--` and 130 bits of a hash: always leads to the site, and never collides with subdomains, which contain no `--`. */
export function siteLabel(address: SiteAddress): string {
  const hash = createHash('sha256').update(`${address.did}/${address.name}`).digest()
  return `s--${toBase32(hash).slice(0, 26)}`
}

/** The `at://` address of the site's manifest record. */
export function siteUri({ did, name }: SiteAddress): `at://${Did}/${string}/${string}` {
  return `at://${did}/${namespaceOf(name).fs}/${recordKeyOf(name)}`
}

/** As `siteUri` writes it, or `<did>/<name>`, perhaps with `at://` before it. Null for anything else. */
export function parseSiteUri(input: string): SiteAddress | null {
  const [owner = '', ...path] = input.replace(/^at:\/\//, '').split('/')
  const [did, name] = [parseDid(owner), parseAnySiteName(path.join('/').replace(ownPrefix, ''))]
  return did === null || name === null ? null : { did, name }
}

const ownPrefix = new RegExp(`^${ownNamespace.fs.replaceAll('.', '\\.')}/`)

/** The `at://` address of a record that keeps one of the account's versions. */
export function versionUri(
  did: Did,
  key: string,
): `at://${Did}/${OwnNamespace['version']}/${string}` {
  return `at://${did}/${ownNamespace.version}/${key}`
}

function isDidPlc(input: string): boolean {
  return /^did:plc:[a-z2-7]{24}$/.test(input)
}

function isDidWeb(input: string): boolean {
  const host = input.startsWith('did:web:') ? input.slice('did:web:'.length) : ''
  const labels = host.split('.')
  if (host.length > 253 || labels.length < 2) return false
  // a last label with a letter first rules out every spelling of an IPv4 address (WHATWG URL, "ends in a number")
  return labels.every(isHostLabel) && /^[a-z]/.test(labels.at(-1) ?? '')
}

function isHostLabel(label: string): boolean {
  return label.length <= 63 && /^[a-z0-9-]+$/.test(label) && !/^-|-$/.test(label)
}
