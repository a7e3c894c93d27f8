import { recordCid } from '#atproto/repo/record-cid.ts'
import {
  type CommitPlan,
  commitOnHead,
  deletion,
  linked,
  type PlannedWrite,
  type RepoContext,
  SiteConflictError,
} from '#publish/commit-on-head.ts'
import { expandStored } from '#publish/expand-stored.ts'
import { refusedVersionSentence } from '#publish/new-version.ts'
import { NotPublishableError } from '#publish/not-publishable.ts'
import type { PublishJob, PublishOutcome } from '#publish/publish-site.ts'
import { type RepositoryState, readRepository } from '#publish/repository/read-repository.ts'
import { ServerBusyError, withPatience } from '#publish/server-patience.ts'
import { SiteRecords } from '#publish/site-records.ts'
import { settingsWrites } from '#publish/site-settings.ts'
import { remembering } from '#publish/state-after.ts'
import { isRefusal, mainCid, type WriteContext, type WrittenSite } from '#publish/write-site.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import { planWrites, type StoredVersion } from '#site/record/plan-writes.ts'
import { versionDigest } from '#site/record/version-digest.ts'
import { parseVersionRecord, type VersionRecord } from '#site/record/version-record.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import type { VersionKey } from '#site/version-key.ts'
import { versionLabel } from '#site/version-label.ts'

/** What a restore makes live. */
export interface RestorePlan {
  readonly key: VersionKey
  /** Whether the settings of then are restored, too. */
  readonly settings: boolean
}

type RestoreJob = Pick<PublishJob, 'beginWriting' | 'rememberExpectedCid' | 'report'> & {
  /** Whether the session may write version records. */
  readonly mayKeep: boolean
}

/**
 * Makes a version record's files the site again, in one commit and without uploads: the account's server has every blob
 * that the record names. The main record has the time of the version, so that it is the same record as then; a preview
 * becomes a version that was live. When the server does not accept that change of its record, the site is restored without it. Throws NotPublishableError, and SiteConflictError when another program changed the
 * site meanwhile.
 */
export async function restoreVersion(
  address: SiteAddress,
  plan: RestorePlan,
  job: RestoreJob,
  context: WriteContext,
): Promise<PublishOutcome> {
  const { now, pause, recentRepositories: recent, repo, signal } = context
  const read = () => readRepository(repo, address.name, { recent, version: plan.key })
  try {
    const start = await withPatience(read, { now, pause, signal })
    const expectedCid = await job.rememberExpectedCid(mainCid(address, start))
    const restored = await restoredFrom(address, plan.key, start, context)
    const count = restored.records.files.size
    job.report({ phase: 'creating_manifest', totalFiles: count, filesReused: count })
    if (!(await job.beginWriting())) return { kind: 'cancelled' }
    const write = (mayKeep: boolean, start: RepositoryState | null) =>
      commitOnHead(
        {
          start,
          read,
          plan: (now) => planRestore(restored, { ...plan, mayKeep, expectedCid }, now),
          onCommitted: remembering(address, recent),
          mayWriteAlone: true,
          conflict: () => new SiteConflictError(address),
        },
        context,
      )
    const written = await write(job.mayKeep, start).catch(async (error) => {
      if (!job.mayKeep || !isRefusal(error)) throw error
      return { ...(await write(false, null)), versionProblem: refusedVersionSentence }
    })
    job.report({ phase: 'finalizing' })
    return { kind: 'published', fileCount: count, ...written }
  } catch (error) {
    if (error instanceof ServerBusyError) return { kind: 'busy', retryAt: error.retryAt }
    throw error
  }
}

interface Restored {
  readonly key: VersionKey
  readonly version: VersionRecord
  readonly records: SiteRecords
}

async function restoredFrom(
  address: SiteAddress,
  key: VersionKey,
  repository: RepositoryState,
  context: RepoContext,
): Promise<Restored> {
  const { version } = storedVersion(address, key, repository)
  const files = await filesOf(address, version.root, repository, context)
  return { key, version, records: new SiteRecords(address, files, Date.parse(version.createdAt)) }
}

function storedVersion(
  { name }: SiteAddress,
  key: VersionKey,
  { versions }: RepositoryState,
): StoredVersion & { readonly version: VersionRecord } {
  const stored = versions.get(key)
  const parsed = parseVersionRecord(stored?.value)
  if (stored === undefined || !parsed.ok || parsed.version.site !== name) {
    throw new NotPublishableError(versionGone)
  }
  return { ...stored, version: parsed.version }
}

async function filesOf(
  address: SiteAddress,
  root: Directory,
  repository: RepositoryState,
  context: RepoContext,
): Promise<ReadonlyMap<SitePath, FileNode>> {
  const expanded = await expandStored(address, root, repository, context)
  if (expanded.ok) return expanded.files
  const [problem] = expanded.problems
  throw new NotPublishableError(problem === undefined ? partsGone : `${problem}. ${nothingChanged}`)
}

interface RestoreOptions {
  readonly settings: boolean
  readonly mayKeep: boolean
  readonly expectedCid: string | null
}

function planRestore(
  { key, version, records }: Restored,
  { settings, mayKeep, expectedCid }: RestoreOptions,
  now: RepositoryState,
): CommitPlan<WrittenSite> {
  const { address, trees } = records
  const current = mainCid(address, now)
  const stored = storedVersion(address, key, now)
  const planned = planWrites(address, { manifest: trees.manifest, version: null, pruned: [] }, now)
  // Also when only the time differs: the record becomes the one that the version names.
  const cid = recordCid(records.manifest)
  const putsMain = current !== cid
  if (putsMain && current !== expectedCid) throw new SiteConflictError(address)

  const parts = planned.createParts.map(
    (rkey): PlannedWrite => ({
      action: 'create',
      collection: ownNamespace.subfs,
      rkey,
      value: { ...records.part(rkey) },
    }),
  )
  const together = [
    ...(settings ? settingsWrites(version.settings ?? null, now, address) : []),
    ...(mayKeep && version.manifest !== cid ? [wentLive(key, stored.value, cid)] : []),
  ]
  const main: PlannedWrite = {
    action: current === null ? 'create' : 'update',
    collection: ownNamespace.fs,
    rkey: address.name,
    value: { ...records.manifest },
    replaces: current,
  }
  const needed = [...parts, ...linked([...(putsMain ? [main] : []), ...together])]
  const deletes = planned.deleteParts.map(
    (rkey): PlannedWrite => ({ ...deletion(ownNamespace.subfs, rkey), mayFail: true }),
  )
  const label = versionLabel(address, versionDigest(records.files, version.settings ?? null))
  const named = mayKeep ? cid : (version.manifest ?? null)
  const written = { key, label, manifest: named }
  const result = { uri: siteUri(address), cid, version: written, versionProblem: null }
  if (needed.length === 0) return { kind: 'done', result }
  return {
    kind: 'write',
    writes: [...needed, ...deletes],
    written: (cids) => (cids.length < needed.length ? null : result),
  }
}

/** A version that is live names the site's record, and is a preview no more. */
const wentLive = (key: VersionKey, value: unknown, cid: string): PlannedWrite => {
  const { alias: _, expiresAt: __, ...fields } = value as Readonly<Record<string, unknown>>
  return {
    action: 'update',
    collection: ownNamespace.version,
    rkey: key,
    value: { ...fields, manifest: cid },
  }
}

const nothingChanged = 'The site stays as it is.'
const versionGone = `This version is not in your repository any more. ${nothingChanged}`
const partsGone = `Records with files of this version are not in your repository any more. ${nothingChanged}`
