import type { Generated } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'

/** The tables of a site's states, which the rules of `Schema` hold for. */
export interface VersionTables {
  /** States of a site's record, as ingest judged them. */
  versions: {
    id: string
    did: Did
    name: SiteName
    recordCid: string
    rev: string
    state: 'live' | 'replaced' | 'invalid'
    problems: string
    snapshot: string | null
    fileCount: number
    bytes: number
    publishedAt: number
    seenAt: number
    replacedAt: number | null
    /** Of its files, as `versionDigest` makes it; null: refused, or stored by an earlier release. */
    filesDigest: Generated<string | null>
  }
  /** Versions that their owners keep as records. */
  versionRecords: {
    did: Did
    key: VersionKey
    /** Grows with each snapshot that is stored, as the ids of `versions` do. */
    id: string
    /** Empty: the record names none. */
    site: SiteName | ''
    /** Of that site (`s--…`), which may not be known here; empty: the record names none. */
    siteLabel: string
    /** `ignored`: its site, or its account, has too many. `removed`: kept for a while, so that a late reading does not bring it back. */
    state: 'kept' | 'refused' | 'ignored' | 'removed'
    /** Of the record; empty: removed. */
    cid: string
    /** The revision of the repository at which it was read. */
    rev: string
    /** Of the address that its content has; null unless it is `kept`. */
    label: string | null
    /** CID of the equal manifest record; null: it was never live. */
    manifest: string | null
    alias: string | null
    message: string | null
    /** A JSON object. */
    source: string | null
    pinned: 0 | 1
    createdAt: number
    /** Null: it stays until its owner removes it. */
    expiresAt: number | null
    fileCount: number
    bytes: number
    filesDigest: string | null
    problems: string
    /** Null: refused, expired or removed. */
    snapshot: string | null
    seenAt: number
    /** Whether a later version has withdrawn its assets from visitors of the site; its own address stays. */
    withdrawn: Generated<0 | 1>
  }
  /** Addresses of versions that are no longer kept: `v--…`, and of previews with an alias `pr-12--…` too. */
  forgottenVersions: {
    label: string
    did: Did
    site: SiteName
    forgottenAt: number
  }
  /** What is still to be removed of versions that their owners forget. */
  unfinishedForgets: {
    did: Did
    site: SiteName
    /** Key of its record, or id of a state of the site’s record. */
    version: string
    /** CID of the equal manifest record; null: it was never live. */
    manifest: string | null
    /** A JSON array: the blobs that its snapshots named. */
    hashes: string
    begunAt: number
  }
}
