import { ExpiringTier } from '#concurrency/expiring-tier.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { versionDigest } from '#site/record/version-digest.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { KnownBlob } from '#store/blobs/blobs.ts'
import type { Db } from '#store/database/database.ts'
import type { NewVersion } from '#store/sites/record-version.ts'
import { findLiveContent, type LiveContent } from '#store/sites/versions.ts'
import type { JudgedContent } from './refused-contents.ts'

/** A site of 10 000 files counts as 10 MB. */
const bytesMax = 32 * 1024 * 1024
/** Long enough for the record of a version to be read after its site, and for the next deploy. */
const ttlMs = 60_000
/** A character of the snapshot, and what the database knows of its blobs. */
const bytesPerChar = 5

/** What the index stores for a version, apart from its identity. */
export type Judgement = Pick<
  NewVersion,
  'snapshot' | 'problems' | 'fileCount' | 'bytes' | 'publishedAt' | 'filesDigest'
>

type Files = ReadonlyMap<SitePath, FileNode>

/** A version as this process has judged it. */
interface RecentVersion {
  readonly judged: JudgedContent
  readonly judgement: Judgement
  readonly blobs: ReadonlyMap<SitePath, KnownBlob>
}

/**
 * The versions that were judged here within the last minute. Of what the live one names, the account has shown the bytes
 * (`docs/adr/0025`); whether they are still stored, nobody can remember.
 */
export class RecentVersions {
  readonly #versions: ExpiringTier<RecentVersion>

  constructor(elapsed?: () => number) {
    this.#versions = new ExpiringTier({ bytesMax, ttlMs, ...(elapsed && { elapsed }) })
  }

  /** The site's live version, if it was judged here. */
  async live(site: SiteAddress, db: Db): Promise<RecentVersion | null> {
    const live = await findLiveContent(db, site)
    return (live && this.#versions.get(keyOf(site, live))) ?? null
  }

  keep(version: RecentVersion): void {
    const { judged, judgement } = version
    const { filesDigest, snapshot } = judgement
    if (filesDigest === null || snapshot === null) return
    const { recordCid, site } = judged
    const bytes = snapshot.length * bytesPerChar
    this.#versions.set(keyOf(site, { recordCid, filesDigest }), version, { bytes, owner: site.did })
  }

  forget(did: Did): void {
    this.#versions.deleteOwner(did)
  }
}

/** Whether this content is judged as that of a version was: the same record and files, by the same limits. */
export function isSameContent(
  { recordCid, content, limits }: JudgedContent,
  { judged, judgement }: RecentVersion,
): boolean {
  return (
    recordCid === judged.recordCid &&
    content.createdAt === judged.content.createdAt &&
    Bun.deepEquals(content.problems, judged.content.problems) &&
    Bun.deepEquals(limits, judged.limits) &&
    Bun.deepEquals(content.settings, judged.content.settings) &&
    (content.files === judged.content.files ||
      (versionDigest(content.files, null) === judgement.filesDigest &&
        haveSameSizes(content.files, judged.content.files)))
  )
}

/** The digest does not cover the size that a record says; a wrong one is a problem. */
const haveSameSizes = (files: Files, others: Files): boolean =>
  files.entries().every(([path, { blob }]) => blob.size === others.get(path)?.blob.size)

const keyOf = ({ did, name }: SiteAddress, { recordCid, filesDigest }: LiveContent): string =>
  `${did}/${name} ${recordCid} ${filesDigest}`
