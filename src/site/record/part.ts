import { safeParse } from '@atcute/lexicons/validations'
import { PlaceSitehostSubfs } from '#lexicons/index.ts'
import { type Namespace, type OwnNamespace, ownNamespace } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import { fitForeignTree } from './foreign-tree.ts'
import type { Directory } from './manifest.ts'
import { ownField, ownFields } from './own-fields.ts'
import { type PlainDirectory, readTree } from './read-tree.ts'

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

export type PartUri = `at://${Did}/${string}/${string}`

export function partUri(did: Did, key: string, { subfs }: Namespace = ownNamespace): PartUri {
  return `at://${did}/${subfs}/${key}`
}

/** Null for another owner or collection, and for an owner given by handle, which could move to another account. */
export function partKeyOf(uri: string, owner: Did, namespace?: Namespace): string | null {
  const prefix = partUri(owner, '', namespace)
  const key = uri.startsWith(prefix) ? uri.slice(prefix.length) : ''
  return /^[A-Za-z0-9._~:-]{1,512}$/.test(key) && key !== '.' && key !== '..' ? key : null
}

/** Parses an untrusted part. Never throws. */
export function parsePart(record: unknown, namespace: Namespace = ownNamespace): PartResult {
  const tree = readTree(ownField(record, 'root'), namespace)
  if (!tree.ok) return tree
  return namespace.subfs === ownNamespace.subfs
    ? parseOwnPart(record, tree.root)
    : parseForeignPart(record, tree.root, namespace)
}

function parseOwnPart(record: unknown, root: PlainDirectory): PartResult {
  const parsed = safeParse(PlaceSitehostSubfs.mainSchema, {
    $type: ownNamespace.subfs,
    ...ownFields(record, ['$type', 'fileCount', 'createdAt']),
    root,
  })
  return parsed.ok
    ? // as in parseManifest: readTree has rejected legacy blobs, which the lexicon's type allows
      { ok: true, part: parsed.value as Part }
    : refuse(`the part does not fit its lexicon: ${parsed.message}`)
}

function parseForeignPart(
  record: unknown,
  plain: PlainDirectory,
  { subfs }: Namespace,
): PartResult {
  const $type = ownField(record, '$type')
  if ($type !== undefined && $type !== subfs) return refuse(`its type is not ${subfs}`)
  // Its lexicon gives the nodes of parts no field `flat`.
  const fitted = fitForeignTree(plain, { mergesParts: true })
  if (!fitted.ok) return refuse(`the part does not fit its lexicon: ${fitted.problem}`)
  const { root } = fitted
  const parsed = safeParse(PlaceSitehostSubfs.mainSchema, {
    $type: ownNamespace.subfs,
    root: { ...root, entries: [] },
    createdAt: ownField(record, 'createdAt'),
  })
  if (!parsed.ok) return refuse(`the part does not fit its lexicon: ${parsed.message}`)
  const { $type: type, createdAt } = parsed.value
  return { ok: true, part: { $type: type, root, createdAt } }
}

const refuse = (problem: string): PartResult => ({ ok: false, problems: [problem] })
