import type { AccountRepo, ListedRecord } from '#atproto/repo/account-repo.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { type OwnNamespace, ownNamespace } from '#site/namespace.ts'
import { parseManifest } from '#site/record/manifest.ts'
import { parsePart } from '#site/record/part.ts'
import { liveVersionKey } from '#site/record/plan-versions.ts'
import type { StoredRecord, StoredVersion } from '#site/record/plan-writes.ts'
import { parseVersionRecord } from '#site/record/version-record.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import type { VersionKey } from '#site/version-key.ts'
import { namedParts } from './named-parts.ts'
import type { RecentRepositories } from './recent-repositories.ts'
import type { RepositoryState } from './repository-state.ts'
import { VersionSummary } from './version-summary.ts'

/** More than any account has. Of an account with more, nothing is deleted and the rest is not reused. */
const recordsMax = { sites: 5_000, parts: 20_000, versions: 5_000 }
/**
 * Per concurrent publish; 400 000 are parts of 28 000 files, 32 MB in memory. Of further records only the keys are read
 * and the parts that they name, so that old parts can be deleted; `expandStored` reads by key what a site needs of them.
 */
const valuesMax = { sites: 200_000, parts: 400_000, versions: 200_000 }

export type { RepositoryState }

interface ReadOptions {
  /** Left out: the repository is read. */
  readonly recent?: RecentRepositories | undefined
  /** A version record to read whole. */
  readonly version?: VersionKey | undefined
}

/**
 * Reads the account's manifests, parts and version records, and the settings of `site`. Its manifest, its live version
 * record and that with the key `version` are read whole. `head` comes first: a write that swaps it fails if the records
 * changed since.
 */
export async function readRepository(
  repo: AccountRepo,
  site?: SiteName,
  { recent, version }: ReadOptions = {},
): Promise<RepositoryState> {
  const { did } = repo
  const head = await repo.latestCommit()
  const known = site && recent?.find({ did, name: site }, head)
  if (known && (version === undefined || isRead(known.versions.get(version)))) return known
  let values = 0
  const onKept = (of: number): void => {
    values += of
  }
  const summarize = (json: Uint8Array) => {
    const named = namedParts(json, repo.did)
    onKept(named?.length ?? 0)
    return named
  }
  const summarizeVersion = async (json: Uint8Array, parse: () => Promise<unknown>) =>
    new VersionSummary(await parse(), summarize(json))
  const limitsOf = (kind: keyof typeof recordsMax) => {
    return { recordsMax: recordsMax[kind], valuesMax: valuesMax[kind], summarize, onKept }
  }
  const [sites, parts, versions, settings] = await Promise.all([
    repo.listRecords(ownNamespace.fs, limitsOf('sites')),
    repo.listRecords(ownNamespace.subfs, limitsOf('parts')),
    repo.listRecords(ownNamespace.version, {
      ...limitsOf('versions'),
      summarize: summarizeVersion,
    }),
    site === undefined ? null : repo.findRecord(ownNamespace.settings, site),
  ])
  const manifests = await byKey(sites, siteRecord)
  const history = await byKey(versions, versionRecord)
  const records = { sites: manifests, versions: history }
  if (site !== undefined && manifests.get(site)?.root === null) {
    await readByKey(repo, ownNamespace.fs, site, manifests, siteRecord)
  }
  const live = site === undefined ? null : liveVersionKey(site, records)
  for (const key of new Set([live, version ?? null])) {
    if (key === null || !(history.get(key)?.value instanceof VersionSummary)) continue
    await readByKey(repo, ownNamespace.version, key, history, versionRecord)
  }
  const state: RepositoryState = {
    head,
    settings,
    isComplete:
      isWhole(sites, recordsMax.sites) &&
      isWhole(parts, recordsMax.parts) &&
      isWhole(versions, recordsMax.versions),
    sites: manifests,
    parts: await byKey(parts, partRecord),
    versions: history,
  }
  if (site !== undefined && state.isComplete) recent?.keep({ did, name: site }, state, values)
  return state
}

async function byKey<Stored>(
  records: readonly ListedRecord[],
  read: (record: ListedRecord) => Stored,
): Promise<Map<string, Stored>> {
  const stored = new Map<string, Stored>()
  const yieldWhenDue = timeSlices()
  for (const record of records) {
    stored.set(record.rkey, read(record))
    await yieldWhenDue()
  }
  return stored
}

/** Reads a listed record whose value was left out. */
async function readByKey<Stored extends { readonly cid: string }>(
  repo: AccountRepo,
  collection: OwnNamespace['fs'] | OwnNamespace['version'],
  key: string,
  stored: Map<string, Stored>,
  read: (record: ListedRecord) => Stored,
): Promise<void> {
  const found = await repo.findRecord(collection, key)
  // Some servers do not return the CID.
  const cid = found?.cid || stored.get(key)?.cid
  if (found !== null && cid !== undefined) stored.set(key, read({ ...found, cid }))
}

/** Not left out. */
const isRead = (record: StoredVersion | undefined): boolean =>
  !(record?.value instanceof VersionSummary)

const isWhole = (records: readonly ListedRecord[], max: number): boolean =>
  records.length < max && records.every(({ value }) => partsAreKnown(value))

const partsAreKnown = (value: unknown): boolean =>
  value !== null && !(value instanceof VersionSummary && value.parts === null)

export function siteRecord({ rkey, cid, value }: ListedRecord): StoredRecord {
  const name = parseSiteName(rkey)
  const parsed = name === null ? null : parseManifest(value, name)
  return { cid, value, root: parsed?.ok ? parsed.manifest.root : null }
}

export function partRecord({ cid, value }: ListedRecord): StoredRecord {
  const parsed = parsePart(value)
  return { cid, value, root: parsed.ok ? parsed.part.root : null }
}

export function versionRecord({ cid, value }: ListedRecord): StoredVersion {
  if (value instanceof VersionSummary) return { cid, value, version: value.version }
  const parsed = parseVersionRecord(value)
  return { cid, value, version: parsed.ok ? parsed.version : null }
}
