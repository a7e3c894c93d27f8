import type { Cid, Datetime } from '@atcute/lexicons/syntax'
import { safeParse } from '@atcute/lexicons/validations'
import { PlaceSitehostVersion } from '#lexicons/index.ts'
import { type OwnNamespace, ownNamespace } from '#site/namespace.ts'
import { parsePreviewAlias } from '#site/preview-alias.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import type { Directory } from './manifest.ts'
import { ownField, ownFields } from './own-fields.ts'
import { readTree } from './read-tree.ts'
import { parseSettings, type SiteSettings } from './settings.ts'

/** A version that its owner keeps, as stored in the owner's repository: `place.sitehost.version`. */
export interface VersionRecord {
  readonly $type: OwnNamespace['version']
  readonly site: SiteName
  readonly root: Directory
  /** ISO 8601. */
  readonly createdAt: Datetime
  /** Of the whole site, parts included. Claimed by the record's author; nothing relies on it, nor on `bytes`. */
  readonly fileCount?: number
  /** Of all files, decoded. */
  readonly bytes?: number
  /** CID of the equal `place.sitehost.fs` record; absent: the version was never live. */
  readonly manifest?: Cid
  /** Of that moment; absent: the site had none. */
  readonly settings?: SiteSettings
  readonly message?: string
  readonly source?: VersionSource
  readonly alias?: string
  readonly pinned?: boolean
  readonly expiresAt?: Datetime
}

/** Where a version's files come from. */
export interface VersionSource {
  readonly repository?: string
  readonly commit?: string
  /** A branch or a tag. */
  readonly ref?: string
  /** At http or https. */
  readonly url?: string
}

export type VersionRecordResult =
  | { readonly ok: true; readonly version: VersionRecord }
  | { readonly ok: false; readonly problems: string[] }

const $type = ownNamespace.version

/**
 * Parses an untrusted record, decoded from CBOR or JSON. An optional field that does not fit its lexicon is dropped,
 * because the files can be restored without it. Never throws.
 */
export function parseVersionRecord(record: unknown): VersionRecordResult {
  const tree = readTree(ownField(record, 'root'))
  if (!tree.ok) return tree
  const required = { $type, root: tree.root, ...ownFields(record, ['site', 'createdAt']) }
  const parsed = safeParse(PlaceSitehostVersion.mainSchema, required)
  if (!parsed.ok) return refuse(`the record does not fit its lexicon: ${parsed.message}`)
  const site = parseSiteName(parsed.value.site)
  if (site === null) return refuse('the field "site" is not a record key')
  const { createdAt } = parsed.value
  // the lexicon's type also allows legacy blobs, which readTree has rejected
  const root = parsed.value.root as Directory
  return { ok: true, version: { $type, site, root, createdAt, ...optionalFields(record) } }
}

const refuse = (problem: string): VersionRecordResult => ({ ok: false, problems: [problem] })

type OptionalFields = Omit<VersionRecord, '$type' | 'site' | 'root' | 'createdAt'>

/** A field is read if a record that has no other optional field fits the lexicon with it. */
function optionalFields(record: unknown): OptionalFields {
  const emptyRoot = { $type: ownNamespace.nodes.directory, type: 'directory', entries: [] }
  const frame = { $type, site: 'site', root: emptyRoot, createdAt: new Date(0).toISOString() }
  const fields: Record<string, unknown> = {}
  for (const name of optionalNames) {
    const value = readField(name, ownField(record, name))
    if (value === undefined) continue
    const parsed = safeParse(PlaceSitehostVersion.mainSchema, { ...frame, [name]: value })
    if (parsed.ok) fields[name] = value
  }
  return fields as OptionalFields
}

const optionalNames = [
  'fileCount',
  'bytes',
  'manifest',
  'settings',
  'message',
  'source',
  'alias',
  'pinned',
  'expiresAt',
] as const satisfies readonly (keyof OptionalFields)[]

/** What a lexicon cannot express. Undefined: dropped. */
function readField(name: (typeof optionalNames)[number], value: unknown): unknown {
  switch (name) {
    case 'fileCount':
    case 'bytes':
      return typeof value === 'number' && value >= 0 ? value : undefined
    case 'message':
      // PostgreSQL rejects strings that hold NUL.
      return typeof value === 'string' && !value.includes('\0') ? value : undefined
    case 'settings':
      return readSettings(value)
    case 'source':
      return readSource(value)
    case 'alias':
      return typeof value === 'string' ? (parsePreviewAlias(value) ?? undefined) : undefined
    default:
      return value
  }
}

function readSettings(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const parsed = parseSettings(value)
  return parsed.ok ? parsed.settings : undefined
}

function readSource(value: unknown): unknown {
  const fields: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(ownFields(value, sourceNames))) {
    const isPage = name !== 'url' || /^https?:\/\//i.test(String(field))
    const isFit = safeParse(PlaceSitehostVersion.sourceSchema, { [name]: field }).ok
    if (isPage && isFit) fields[name] = field
  }
  return Object.keys(fields).length === 0 ? undefined : fields
}

const sourceNames = ['repository', 'commit', 'ref', 'url'] satisfies (keyof VersionSource)[]
