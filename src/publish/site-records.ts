import { recordCid } from '#atproto/repo/record-cid.ts'
import { manifestFilesMax } from '#site/limits.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import { type FileNode, type Manifest, parseManifest } from '#site/record/manifest.ts'
import { ownField } from '#site/record/own-fields.ts'
import { type Part, parsePart } from '#site/record/part.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import { parseSettings, type SiteSettings, withFields } from '#site/record/settings.ts'
import { type SplitTree, splitTree, splitVersion } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import { parseVersionRecord, type VersionRecord } from '#site/record/version-record.ts'
import { isSameJson } from '#site/same-json.ts'
import type { SiteAddress } from '#site/site-address.ts'
import type { VersionToWrite } from './new-version.ts'
import { NotPublishableError } from './not-publishable.ts'
import type { RepositoryState } from './repository/read-repository.ts'

/** What becomes of a site's settings together with its files. */
export interface SettingsChange {
  /** All of them, or the ones to set, while others stay. */
  readonly kind: 'all' | 'fields'
  /** Null, of all: the site has none. */
  readonly settings: SiteSettings | null
}

/**
 * The records of a site as they are written. They are parsed as ingest parses them: nothing is written that ingest
 * would refuse. Throws NotPublishableError.
 */
export class SiteRecords {
  readonly address: SiteAddress
  readonly files: ReadonlyMap<SitePath, FileNode>
  readonly now: number
  readonly trees: { readonly manifest: SplitTree; readonly version: SplitTree }
  readonly manifest: Manifest
  readonly #createdAt: string

  readonly #settings: SettingsChange | null

  /** `settings` null: they stay as they are. */
  constructor(
    address: SiteAddress,
    files: ReadonlyMap<SitePath, FileNode>,
    now: number,
    settings: SettingsChange | null = null,
  ) {
    this.address = address
    this.files = files
    this.now = now
    this.#settings = settings
    this.#createdAt = new Date(now).toISOString()
    const tree = buildTree(files)
    const manifest = splitTree(tree, address)
    // A manifest in parts has those of the version.
    const version = manifest.parts.size > 0 ? manifest : splitVersion(tree, address)
    this.trees = { manifest, version }
    this.manifest = this.#manifest()
  }

  /** Whether the site's present manifest has the same tree. */
  isPresent({ sites }: Pick<AccountRecords, 'sites'>): boolean {
    return isSameJson(sites.get(this.address.name)?.root, this.trees.manifest.root)
  }

  /** The site's settings once its records are written; null: none, or such that they have no effect. */
  settingsOn(repository: Pick<RepositoryState, 'settings'>): SiteSettings | null {
    const present = settingsOf(repository)
    if (this.#settings === null) return present
    const { kind, settings } = this.#settings
    return kind === 'all' || settings === null ? settings : withFields(present, settings)
  }

  part(key: string): Part {
    const { root, fileCount = 0 } = this.trees.version.parts.get(key) ?? {}
    const count = countOf(fileCount)
    const createdAt = this.#createdAt
    const part = parsePart({ $type: ownNamespace.subfs, root, ...count, createdAt })
    if (!part.ok) throw notPublishable(part.problems)
    return part.part
  }

  /** With the time of its manifest, `present` or the new one: restoring the version gives the same manifest. */
  version(
    { bytes, message, source, preview }: VersionToWrite,
    settings: SiteSettings | null,
    present: { readonly cid: string; readonly value: unknown } | null,
  ): VersionRecord {
    const manifest = preview ? null : (present?.cid ?? recordCid(this.manifest))
    const parsed = parseVersionRecord({
      $type: ownNamespace.version,
      site: this.address.name,
      root: this.trees.version.root,
      fileCount: this.files.size,
      ...(bytes !== null && { bytes }),
      createdAt: present === null ? this.#createdAt : ownField(present.value, 'createdAt'),
      ...(manifest && { manifest }),
      ...(settings && { settings }),
      ...(message && { message }),
      ...(source && { source }),
      ...preview,
    })
    if (!parsed.ok) throw notPublishable(parsed.problems)
    return parsed.version
  }

  #manifest(): Manifest {
    const { name: site } = this.address
    const count = countOf(this.files.size)
    const { root } = this.trees.manifest
    const createdAt = this.#createdAt
    const record = { $type: ownNamespace.fs, site, root, ...count, createdAt }
    const manifest = parseManifest(record, site)
    if (!manifest.ok) throw notPublishable(manifest.problems)
    return manifest.manifest
  }
}

/** Of the site that the repository was read for; null: none, or such that they have no effect. */
export function settingsOf({ settings }: Pick<RepositoryState, 'settings'>): SiteSettings | null {
  const parsed = parseSettings(settings?.value ?? null)
  return settings !== null && parsed.ok ? parsed.settings : null
}

/** The count is left out above the limit of the lexicon. */
const countOf = (fileCount: number): { readonly fileCount?: number } =>
  fileCount > manifestFilesMax ? {} : { fileCount }

const notPublishable = ([problem]: readonly string[]): NotPublishableError =>
  new NotPublishableError(`${problem}. Nothing was published.`)
