import { parseVersionRecord, type VersionRecord } from '#site/record/version-record.ts'

/** What is kept of a version record beyond the limits of a listing: what decides whether it is deleted. */
export class VersionSummary {
  /** Null if the record cannot be parsed. */
  readonly version: Pick<VersionRecord, 'site' | 'manifest' | 'pinned' | 'expiresAt'> | null
  /** Addresses of the parts that it names; null: not known. */
  readonly parts: readonly string[] | null

  constructor(record: unknown, parts: readonly string[] | null) {
    this.parts = parts
    const parsed = parseVersionRecord(record)
    if (!parsed.ok) {
      this.version = null
      return
    }
    const { site, manifest, pinned, expiresAt } = parsed.version
    this.version = {
      site,
      ...(manifest !== undefined && { manifest }),
      ...(pinned !== undefined && { pinned }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
  }
}
