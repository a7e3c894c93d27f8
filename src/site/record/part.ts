import { safeParse } from '@atcute/lexicons/validations'
import { PlaceSitehostSubfs } from '#lexicons/index.ts'
import { type OwnNamespace, ownNamespace } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import type { Directory } from './manifest.ts'
import { ownField, ownFields } from './own-fields.ts'
import { readTree } from './read-tree.ts'

/** A record with a piece of a site's tree: `place.sitehost.subfs`. */
export interface Part {
  readonly $type: OwnNamespace['subfs']
  readonly root: Directory
  /** Of this part, nested parts included. */
  readonly fileCount?: number
  /** ISO 8601. */
  readonly createdAt: string
}

export type PartResult =
  | { readonly ok: true; readonly part: Part }
  | { readonly ok: false; readonly problems: string[] }

export type PartUri = `at://${Did}/${OwnNamespace['subfs']}/${string}`

export function partUri(did: Did, key: string): PartUri {
  return `at://${did}/${ownNamespace.subfs}/${key}`
}

/** Null for another owner or collection, and for an owner given by handle, which could move to another account. */
export function partKeyOf(uri: string, owner: Did): string | null {
  const prefix = partUri(owner, '')
  const key = uri.startsWith(prefix) ? uri.slice(prefix.length) : ''
  return /^[A-Za-z0-9._~:-]{1,512}$/.test(key) && key !== '.' && key !== '..' ? key : null
}

/** Parses an untrusted part. Never throws. */
export function parsePart(record: unknown): PartResult {
  const tree = readTree(ownField(record, 'root'))
  if (!tree.ok) return tree
  const parsed = safeParse(PlaceSitehostSubfs.mainSchema, {
    $type: ownNamespace.subfs,
    ...ownFields(record, ['$type', 'fileCount', 'createdAt']),
    root: tree.root,
  })
  return parsed.ok
    ? // as in parseManifest: readTree has rejected legacy blobs, which the lexicon's type allows
      { ok: true, part: parsed.value as Part }
    : { ok: false, problems: [`the part does not fit its lexicon: ${parsed.message}`] }
}
