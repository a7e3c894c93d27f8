import type { RepoStatus } from '#atproto/repo/repo-status.ts'
import { type BlobState, checkBlobs } from '#ingest/blobs/check-blobs.ts'
import { tooManySites } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { decodeSnapshot, type SnapshotFile, SnapshotFormatError } from '#site/visit/snapshot.ts'
import { forgetBlobs } from '#store/sites/blobs.ts'
import { findSite } from '#store/sites/sites.ts'
import { findLiveSnapshot } from '#store/sites/versions.ts'
import { checkAccount } from './check-account.ts'
import { type IngestOutcome, ingestSite } from './ingest-site.ts'
import type { SyncContext } from './sync-account.ts'

export interface Finding {
  /** What was wrong, in words. */
  readonly what: string
  readonly isMended: boolean
}

export interface RepairReport {
  readonly site: SiteAddress
  /** Of the account; null: its server could not be asked, and a finding says so. */
  readonly status: RepoStatus | null
  /** What reading the site from its source changed here; null: that was not possible. */
  readonly outcome: IngestOutcome | null
  /** CID of the manifest record that is live now. */
  readonly recordCid: string | null
  /** Files of the live version, and those of them whose bytes here are proven to be the owner's. */
  readonly files: number
  readonly intactFiles: number
  readonly findings: readonly Finding[]
}

/**
 * Reads every byte of a site that is stored here, and every record of it with its proof from the owner's
 * server, and brings the first in agreement with the second. What was damaged is fetched again. Throws only
 * when our own stores cannot be used.
 */
export async function repairSite(site: SiteAddress, context: SyncContext): Promise<RepairReport> {
  const { db } = context
  const before = await readStored(site, context)
  await forgetBlobs(db, [...before.bad.keys()])
  const source = await readSource(site, context)
  const after = await readStored(site, context)
  return {
    site,
    status: source.status,
    outcome: source.outcome,
    recordCid: (await findSite(db, site))?.live?.recordCid ?? null,
    files: after.files.size,
    intactFiles: [...after.files.values()].filter(({ hash }) => !after.bad.has(hash)).length,
    findings: [...storedFindings(before, after), ...source.findings],
  }
}

interface Stored {
  readonly files: ReadonlyMap<string, SnapshotFile>
  readonly isReadable: boolean
  readonly recordCid: string | null
  /** By hash. */
  readonly bad: ReadonlyMap<string, BlobState>
}

const nothingStored: Stored = {
  files: new Map(),
  isReadable: true,
  recordCid: null,
  bad: new Map(),
}

/** What is here of the live version. */
async function readStored(site: SiteAddress, { db, blobs, signal }: SyncContext): Promise<Stored> {
  const text = await findLiveSnapshot(db, site)
  if (text === null) return nothingStored
  try {
    const { files, recordCid } = decodeSnapshot(text)
    const states = await checkBlobs(files.values(), blobs, signal)
    const bad = new Map([...states].filter(([, state]) => state !== 'intact'))
    return { files, isReadable: true, recordCid, bad }
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    return { ...nothingStored, isReadable: false }
  }
}

function storedFindings(before: Stored, after: Stored): Finding[] {
  const damaged = [...before.files].flatMap(([path, { hash }]) => {
    const state = before.bad.get(hash)
    if (state === undefined || state === 'intact') return []
    const isMended = after.isReadable && !after.bad.has(hash)
    return [{ what: `${JSON.stringify(path)}: ${blobFinding[state]}`, isMended }]
  })
  if (before.isReadable) return damaged
  return [
    { what: 'what is stored about the live version cannot be read', isMended: after.isReadable },
  ]
}

const blobFinding: Readonly<Record<Exclude<BlobState, 'intact'>, string>> = {
  'missing-or-damaged': 'its bytes are missing or damaged',
  'not-what-is-named': 'its bytes are not those of the blob that the record names',
}

interface SourceReading {
  readonly status: RepoStatus | null
  readonly outcome: IngestOutcome | null
  readonly findings: readonly Finding[]
}

async function readSource(site: SiteAddress, context: SyncContext): Promise<SourceReading> {
  const before = (await findSite(context.db, site))?.live ?? null
  let status: RepoStatus | null = null
  try {
    status = (await checkAccount(site.did, context)).status
    if (status !== 'active') {
      const what = `the account is ${status} at its server: visitors do not get the site`
      return { status, outcome: null, findings: [{ what, isMended: false }] }
    }
    const outcome = await ingestSite(site, context)
    return {
      status,
      outcome,
      findings: await outcomeFindings(outcome, before !== null, site, context),
    }
  } catch (error) {
    context.signal.throwIfAborted()
    context.log.warn('site repair could not read the source', {
      did: site.did,
      site: site.name,
      error,
    })
    const what = `the source could not be read: ${error instanceof Error ? error.message : error}`
    return { status, outcome: null, findings: [{ what, isMended: false }] }
  }
}

async function outcomeFindings(
  outcome: IngestOutcome,
  wasLive: boolean,
  site: SiteAddress,
  { db }: SyncContext,
): Promise<Finding[]> {
  switch (outcome) {
    case 'already-live':
      return []
    case 'went-live':
      return [
        { what: wasLive ? 'another version was live here' : 'it was not here', isMended: true },
      ]
    case 'removed':
      return wasLive ? [{ what: 'its owner has removed it', isMended: true }] : []
    case 'outdated':
      return [{ what: 'its server answers with an older state than is live here', isMended: false }]
    case 'not-known':
      return [{ what: 'its account is not known here: nothing is brought of it', isMended: false }]
    case 'too-many':
      return [{ what: tooManySites, isMended: false }]
    case 'refused': {
      const problems = (await findSite(db, site))?.refused?.problems ?? []
      return problems.map((problem) => ({ what: `refused: ${problem}`, isMended: false }))
    }
  }
}
