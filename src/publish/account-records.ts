import type { AccountRepo, ListedRecord } from '#atproto/repo/account-repo.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { parseManifest } from '#site/record/manifest.ts'
import { parsePart } from '#site/record/part.ts'
import type { AccountRecords, StoredRecord, StoredVersion } from '#site/record/plan-writes.ts'
import { parseVersionRecord } from '#site/record/version-record.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { namedParts } from './named-parts.ts'

/** More than any account has. Of an account with more, nothing is deleted and the rest is not reused. */
const recordsMax = { sites: 5_000, parts: 20_000, versions: 5_000 }
/**
 * Per concurrent publish; 400 000 are parts of 28 000 files, 32 MB in memory. Of further records only the keys are read
 * and the parts that they name, so that old parts can be deleted; `expandStored` reads by key what a site needs of them.
 */
const valuesMax = { sites: 200_000, parts: 400_000, versions: 200_000 }

/** Our collections in a repository, at the commit `head`. */
export interface RepositoryState extends AccountRecords {
  readonly head: string
  /** Of the site that the repository was read for. */
  readonly settings: ListedRecord | null
}

/**
 * Reads the account's manifests, parts and version records, and the settings of `site`, whose manifest is read whole. `head`
 * comes first: a write that swaps it fails if the records changed since.
 */
export async function readRepository(repo: AccountRepo, site?: SiteName): Promise<RepositoryState> {
  const head = await repo.latestCommit()
  const summarize = (json: Uint8Array) => namedParts(json, repo.did)
  const limitsOf = (kind: keyof typeof recordsMax) => {
    return { recordsMax: recordsMax[kind], valuesMax: valuesMax[kind], summarize }
  }
  const [sites, parts, versions, settings] = await Promise.all([
    repo.listRecords('place.sitehost.fs', limitsOf('sites')),
    repo.listRecords('place.sitehost.subfs', limitsOf('parts')),
    repo.listRecords('place.sitehost.version', limitsOf('versions')),
    site === undefined ? null : repo.findRecord('place.sitehost.settings', site),
  ])
  const manifests = await byKey(sites, siteRecord)
  const own = site === undefined ? undefined : manifests.get(site)
  if (site !== undefined && own?.root === null) {
    const found = await repo.findRecord('place.sitehost.fs', site)
    // Some servers do not return the CID.
    if (found !== null) manifests.set(site, siteRecord({ ...found, cid: found.cid || own.cid }))
  }
  return {
    head,
    settings,
    isComplete:
      isWhole(sites, recordsMax.sites) &&
      isWhole(parts, recordsMax.parts) &&
      isWhole(versions, recordsMax.versions),
    sites: manifests,
    parts: await byKey(parts, partRecord),
    versions: await byKey(versions, versionRecord),
  }
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

const isWhole = (records: readonly ListedRecord[], max: number): boolean =>
  records.length < max && records.every(({ value }) => value !== null)

function siteRecord({ rkey, cid, value }: ListedRecord): StoredRecord {
  const name = parseSiteName(rkey)
  const parsed = name === null ? null : parseManifest(value, name)
  return { cid, value, root: parsed?.ok ? parsed.manifest.root : null }
}

function partRecord({ cid, value }: ListedRecord): StoredRecord {
  const parsed = parsePart(value)
  return { cid, value, root: parsed.ok ? parsed.part.root : null }
}

function versionRecord({ cid, value }: ListedRecord): StoredVersion {
  const parsed = parseVersionRecord(value)
  return { cid, value, version: parsed.ok ? parsed.version : null }
}
