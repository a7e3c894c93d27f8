import { isRecordKey } from '@atcute/lexicons/syntax'
import { foreignNamespaces, type Namespace, ownNamespace } from './namespace.ts'

declare const siteName: unique symbol

/**
 * The name of a site among its owner's sites: the record key of its manifest. That of a foreign site, which is one of
 * another network, has the collection of its manifest before it: `place.wisp.fs/blog`. No record key has a slash.
 */
export type SiteName = string & { readonly [siteName]: true }

/** One of our network: 1 to 512 of `A-Z a-z 0-9 . _ ~ : -`, not `.` or `..`; null for anything else. */
export function parseSiteName(input: string): SiteName | null {
  return isRecordKey(input) ? (input as string as SiteName) : null
}

/** As `parseSiteName`, and foreign ones. */
export function parseAnySiteName(input: string): SiteName | null {
  const slash = input.indexOf('/')
  if (slash === -1) return parseSiteName(input)
  const namespace = foreignNamespaces.find(({ fs }) => fs === input.slice(0, slash))
  return namespace === undefined ? null : siteNameIn(namespace, input.slice(slash + 1))
}

/** The name of the site whose manifest has this record key in the collection of a network; null for no record key. */
export function siteNameIn({ fs }: Namespace, rkey: string): SiteName | null {
  const name = parseSiteName(rkey)
  return name === null || fs === ownNamespace.fs ? name : (`${fs}/${name}` as SiteName)
}

/** The site of our network with this record key, and the foreign ones, in the order in which an address leads to them. */
export const namesWithKey = (rkey: SiteName): readonly SiteName[] => [
  rkey,
  ...foreignNamespaces.flatMap((namespace) => siteNameIn(namespace, rkey) ?? []),
]

export const isForeignName = (name: SiteName): boolean => name.includes('/')

/** Whether the site's network is ours, or one of these. */
export const isServedName = (name: SiteName, alsoServe: readonly Namespace[] = []): boolean =>
  !isForeignName(name) || alsoServe.some(({ fs }) => name.startsWith(`${fs}/`))

export const recordKeyOf = (name: SiteName): string => name.slice(name.indexOf('/') + 1)

export function namespaceOf(name: SiteName): Namespace {
  if (!isForeignName(name)) return ownNamespace
  const namespace = foreignNamespaces.find(({ fs }) => name.startsWith(`${fs}/`))
  if (namespace === undefined) throw new Error(`site of an unknown network; name=${name}`)
  return namespace
}
