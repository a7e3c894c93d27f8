import { safeParse } from '@atcute/lexicons/validations'
import { PlaceSitehostFs } from '#lexicons/index.ts'
import { type Namespace, type OwnNamespace, ownNamespace } from '#site/namespace.ts'
import { isForeignName, namespaceOf, recordKeyOf, type SiteName } from '#site/site-name.ts'
import { fitForeignTree } from './foreign-tree.ts'
import type { Directory } from './nodes.ts'
import { ownField, ownFields } from './own-fields.ts'
import { readTree } from './read-tree.ts'

export type { Directory, Entry, FileNode, SubfsNode } from './nodes.ts'

/** The main record of a site, as stored in the owner's repository; a foreign one as ours with the same files. */
export interface Manifest {
  readonly $type: OwnNamespace['fs']
  readonly site: string
  readonly root: Directory
  /** Of the whole site, parts included. Claimed by the record's author; nothing relies on it. */
  readonly fileCount?: number
  /** ISO 8601. */
  readonly createdAt: string
}

export type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problems: string[] }

/** Parses an untrusted record, decoded from CBOR or JSON. Problems are about twenty sentences at most. Never throws. */
export function parseManifest(record: unknown, siteName: SiteName): ManifestResult {
  return isForeignName(siteName)
    ? parseForeignManifest(record, recordKeyOf(siteName), namespaceOf(siteName))
    : parseOwnManifest(record, siteName)
}

function parseOwnManifest(record: unknown, siteName: SiteName): ManifestResult {
  const tree = readTree(ownField(record, 'root'))
  if (!tree.ok) return tree
  const parsed = safeParse(PlaceSitehostFs.mainSchema, {
    $type: ownNamespace.fs,
    ...ownFields(record, ['$type', 'site', 'fileCount', 'createdAt']),
    root: tree.root,
  })
  if (!parsed.ok) return refuse(`the record does not fit its lexicon: ${parsed.message}`)
  if (parsed.value.site !== siteName) return refuse('the field "site" is not the record key')
  // the lexicon's type also allows legacy blobs, which readTree has rejected
  return { ok: true, manifest: parsed.value as Manifest }
}

/**
 * Its title and number of files are not read: nothing here relies on them, and some writers of other networks set
 * neither as ours do.
 */
function parseForeignManifest(record: unknown, site: string, namespace: Namespace): ManifestResult {
  const $type = ownField(record, '$type')
  if ($type !== undefined && $type !== namespace.fs)
    return refuse(`its type is not ${namespace.fs}`)
  const tree = readTree(ownField(record, 'root'), namespace)
  if (!tree.ok) return tree
  const fitted = fitForeignTree(tree.root)
  if (!fitted.ok) return refuse(`the record does not fit its lexicon: ${fitted.problem}`)
  const { root } = fitted
  const frame = { $type: ownNamespace.fs, site, root: { ...root, entries: [] } }
  const parsed = safeParse(PlaceSitehostFs.mainSchema, {
    ...frame,
    createdAt: ownField(record, 'createdAt'),
  })
  if (!parsed.ok) return refuse(`the record does not fit its lexicon: ${parsed.message}`)
  return {
    ok: true,
    manifest: { $type: frame.$type, site, root, createdAt: parsed.value.createdAt },
  }
}

function refuse(problem: string): ManifestResult {
  return { ok: false, problems: [problem] }
}
