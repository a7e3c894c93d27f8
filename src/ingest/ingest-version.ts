import type { Identity } from '#atproto/identity/identity.ts'
import { CommitRecords } from '#atproto/repo/commit-records.ts'
import { readWithProof } from '#atproto/repo/verified-record.ts'
import { storedBytesOf } from '#ingest/blobs/fetch-blobs.ts'
import { keepStored } from '#ingest/blobs/keep-stored.ts'
import { noSpans } from '#observe/spans.ts'
import { previewMs } from '#site/limits.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { ownField } from '#site/record/own-fields.ts'
import { versionDigest } from '#site/record/version-digest.ts'
import {
  parseVersionRecord,
  type VersionRecord,
  type VersionRecordResult,
} from '#site/record/version-record.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { versionLabel } from '#site/version-label.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import { isVisitedOnly } from '#store/lifecycle/visited-accounts.ts'
import { findTakedown } from '#store/moderation/takedowns.ts'
import { enqueueVersions } from '#store/queues/enqueue.ts'
import { tooManyVersions } from '#store/sites/version-records/oldest-version-records.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
  removeVersionRecord,
  type VersionRecordOutcome,
} from '#store/sites/version-records/record-version-record.ts'
import { findVersionQuotaProblem } from '#store/sites/version-records/version-quota.ts'
import type { VersionRecordKey } from '#store/sites/version-records/version-record-rows.ts'
import { hasManyNewer } from '#store/sites/version-records/version-records.ts'
import type { IngestContext } from './ingest-site.ts'
import { assertStillSigns, readProven } from './read/proven-reading.ts'
import { readFiles } from './read/read-files.ts'
import { millisecondsOf, readVersion } from './read/read-version.ts'
import { assertSiteIsRead } from './site-first.ts'

export const versionCollection = ownNamespace.version

/** What reading a version record changed here. `visited-only`: nothing but the sites of such an account is kept. */
export type VersionOutcome = VersionRecordOutcome | 'removed' | 'taken-down' | 'visited-only'

/**
 * Makes the index agree with the owner's repository about one version record. The only writer of version records.
 * A version is kept when its record is proven and all its blobs are stored and verified; a refused one is kept with its
 * problems. Throws, with nothing changed, when the owner's server is unreachable, a part is missing or the signing key
 * was replaced; the caller retries.
 */
export async function ingestVersion(
  key: VersionRecordKey,
  context: IngestContext,
): Promise<VersionOutcome> {
  const { at, db, log, now, spans = noSpans } = context
  if (!(await isKnownAccount(db, key.did))) return 'not-known'
  if (await isVisitedOnly(db, key.did)) return 'visited-only'
  const { identity, reading } = await spans.run('ingest.read-record', {}, () =>
    readProven(key.did, context, (found) => readRecord(key, found, context)),
  )
  if (!reading.found) {
    await assertStillSigns(identity, uriOf(key), context)
    context.recentBlocks?.forget(key.did)
    context.recentTrees?.forget(key.did)
    context.recentVersions?.forget(key.did)
    const isRemoved = await removeVersionRecord(db, key, reading.rev, now())
    at?.('version-removed')
    if (isRemoved) log.info('version removed', { ...key })
    return 'removed'
  }
  const { cid, commit, rev, named, parsed } = reading
  if (parsed.ok) {
    const site = { did: key.did, name: parsed.version.site }
    // Else the blobs that were purged would be back.
    if ((await findTakedown(db, site)) !== null) return 'taken-down'
    await assertSiteIsRead(key.did, parsed.version, context)
  }
  const judged = parsed.ok
    ? await judge(key, { cid, commit, version: parsed.version }, identity, context)
    : refused(named, parsed.problems, now())
  await assertStillSigns(identity, uriOf(key), context)
  const outcome = await recordVersionRecord(db, { ...key, cid, rev, ...judged }, now())
  at?.('version-kept')
  log.debug('version read', { ...key, outcome })
  if (!(await keepStored(judged.snapshot, context))) {
    log.warn('blob lost, version queued', { ...key })
    await enqueueVersions(context, [key])
  }
  return outcome
}

const uriOf = ({ did, key }: VersionRecordKey): string => `at://${did}/${versionCollection}/${key}`

type RecordReading =
  | { readonly found: false; readonly rev: string }
  | {
      readonly found: true
      readonly rev: string
      readonly cid: string
      readonly commit: CommitRecords
      /** The site that the record names; empty: none. */
      readonly named: SiteName | ''
      readonly parsed: VersionRecordResult
    }

/** Releases the record: the rest of the version may take minutes on a slow server. */
async function readRecord(
  { key }: VersionRecordKey,
  identity: Identity,
  context: IngestContext,
): Promise<RecordReading> {
  const at = { collection: versionCollection, rkey: key }
  const { answer, proof } = await readWithProof(at, identity, context.fetch, context.signal)
  if (!answer.found) return answer
  const commit = new CommitRecords(proof, identity, context)
  const { rev, cid, problem, record } = answer
  if (problem !== null) {
    return { found: true, rev, cid, commit, named: '', parsed: { ok: false, problems: [problem] } }
  }
  const site = ownField(record, 'site')
  const named = (typeof site === 'string' && parseSiteName(site)) || ''
  return { found: true, rev, cid, commit, named, parsed: parseVersionRecord(record) }
}

type Judged = Omit<NewVersionRecord, 'did' | 'key' | 'cid' | 'rev'>

const unjudged = {
  label: null,
  manifest: null,
  alias: null,
  message: null,
  source: null,
  pinned: false,
  createdAt: 0,
  expiresAt: null,
  fileCount: 0,
  bytes: 0,
  filesDigest: null,
  problems: [],
  snapshot: null,
} satisfies Omit<Judged, 'site'>

const refused = (site: Judged['site'], problems: readonly string[], createdAt: number): Judged => ({
  ...unjudged,
  site,
  problems,
  createdAt,
})

interface ProvenVersion {
  readonly cid: string
  readonly commit: CommitRecords
  readonly version: VersionRecord
}

async function judge(
  key: VersionRecordKey,
  { cid, commit, version }: ProvenVersion,
  identity: Identity,
  context: IngestContext,
): Promise<Judged> {
  const { db, limits, now } = context
  const site: SiteAddress = { did: key.did, name: version.site }
  const facts = versionFacts(version, now())
  const no = (problems: readonly string[]): Judged => ({ ...unjudged, ...facts, problems })
  if (await hasManyNewer(db, key, version.site)) return no([tooManyVersions])
  const { result } = await readFiles(version.root, commit, identity, context)
  if (!result.ok) return no(result.problems)
  const { files } = result
  const settings = version.settings ?? null
  const kept = {
    ...facts,
    label: versionLabel(site, versionDigest(files, settings)),
    filesDigest: versionDigest(files, null),
    fileCount: files.size,
  }
  // Its address is known, so that visitors learn that it is gone.
  if (facts.expiresAt !== null && facts.expiresAt <= now()) return { ...unjudged, ...kept }
  const problem = await findVersionQuotaProblem(db, key, blobsOf(files), limits)
  if (problem !== null) return no([problem])
  const content = { ok: true, createdAt: version.createdAt, files, settings, problems: [] } as const
  const recordCid = version.manifest ?? cid
  const read = await readVersion({ ...site, recordCid }, content, identity, context)
  if (read.snapshot === null) return no(read.problems)
  const { snapshot, problems, bytes } = read
  return { ...unjudged, ...kept, snapshot, problems, bytes }
}

/** What the record says about itself. A version that was live, or is pinned, stays until its owner removes it. */
export function versionFacts(version: VersionRecord, now: number) {
  const { site, manifest = null, alias = null, message = null, source = null } = version
  const createdAt = millisecondsOf(version.createdAt)
  const { pinned = false } = version
  const isPreview = manifest === null && !pinned
  const end = Date.parse(version.expiresAt ?? '')
  // The lexicon's type accepts 30 February, and any year.
  const expiresAt = Number.isNaN(end) ? Math.min(createdAt, now) + previewMs : Math.max(0, end)
  return {
    ...{ site, manifest, alias, message, source, pinned, createdAt },
    expiresAt: isPreview ? expiresAt : null,
  }
}

/** Bytes on our disk, by CID. */
const blobsOf = (files: ReadonlyMap<SitePath, FileNode>): ReadonlyMap<string, number> =>
  new Map(files.values().map((node) => [node.blob.ref.$link, storedBytesOf(node)]))
