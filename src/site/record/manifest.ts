import type { ResourceUri } from '@atcute/lexicons/syntax'
import { safeParse } from '@atcute/lexicons/validations'
import { PlaceSitehostFs } from '#lexicons/index.ts'
import { type OwnNamespace, ownNamespace } from '#site/namespace.ts'
import type { SiteName } from '#site/site-name.ts'
import type { BlobRef } from './blob-ref.ts'
import { ownField, ownFields } from './own-fields.ts'
import { readTree } from './read-tree.ts'

/** The main record of a site, as stored in the owner's repository. */
export interface Manifest {
  readonly $type: OwnNamespace['fs']
  readonly site: string
  readonly root: Directory
  /** Of the whole site, parts included. Claimed by the record's author; nothing relies on it. */
  readonly fileCount?: number
  /** ISO 8601. */
  readonly createdAt: string
}

export interface Directory {
  readonly $type: OwnNamespace['nodes']['directory']
  readonly type: 'directory'
  readonly entries: readonly Entry[]
}

export interface Entry {
  readonly name: string
  readonly node: FileNode | Directory | SubfsNode
}

export interface FileNode {
  readonly $type: OwnNamespace['nodes']['file']
  readonly type: 'file'
  readonly blob: BlobRef
  readonly encoding?: 'gzip'
  readonly mimeType?: string
  readonly base64?: boolean
}

/** References a part: a record that holds a piece of the tree. */
export interface SubfsNode {
  readonly $type: OwnNamespace['nodes']['subfs']
  readonly type: 'subfs'
  readonly subject: ResourceUri
  readonly flat: boolean
}

export type ManifestResult =
  | { readonly ok: true; readonly manifest: Manifest }
  | { readonly ok: false; readonly problems: string[] }

/** Parses an untrusted record, decoded from CBOR or JSON. Problems are about twenty sentences at most. Never throws. */
export function parseManifest(record: unknown, siteName: SiteName): ManifestResult {
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

function refuse(problem: string): ManifestResult {
  return { ok: false, problems: [problem] }
}
