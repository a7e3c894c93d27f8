import { rawCid } from '#atproto/repo/raw-cid.ts'
import type { RepoStatus } from '#atproto/repo/repo-status.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { piecesOf } from '#concurrency/pieces-of.ts'
import { tooManySites } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { decodeSnapshot, type SnapshotFile, SnapshotFormatError } from '#site/visit/snapshot.ts'
import { forgetBlobs } from '#store/blobs/blobs.ts'
import { findSite } from '#store/sites/sites.ts'
import { findLiveSnapshot } from '#store/sites/versions.ts'
import { checkAccount } from './check-account.ts'
import { type IngestOutcome, ingestSite } from './ingest-site.ts'
import type { SyncContext } from './sync-account.ts'

const blobsAtOnce = 4

export interface Finding {
  /** What was wrong, in words. */
  readonly what: string
  readonly isRepaired: boolean
}

const repaired = (what: string): Finding => ({ what, isRepaired: true })
const wrong = (what: string): Finding => ({ what, isRepaired: false })

interface SourceReading {
  /** Of the account; null: its server could not be asked, and a finding says so. */
  readonly status: RepoStatus | null
  /** What reading the site from its source changed here; null: that was not possible. */
  readonly outcome: IngestOutcome | null
  readonly findings: readonly Finding[]
}

export interface RepairReport extends SourceReading {
  readonly site: SiteAddress
  /** CID of the manifest record that is live now. */
  readonly recordCid: string | null
  /** Files of the live version, and those of them whose stored bytes are proven to be the owner's. */
  readonly files: number
  readonly intactFiles: number
}

/**
 * Reads every stored byte of a site, and every record of it with its proof from the owner's server, and corrects what
 * is stored. Damaged blobs are fetched again. Throws only when our own stores fail.
 */
export async function repairSite(site: SiteAddress, context: SyncContext): Promise<RepairReport> {
  const { db } = context
  const before = await readStored(site, context)
  await forgetBlobs(db, [...before.bad.keys()])
  const source = await readSource(site, context)
  const after = await readStored(site, context)
  return {
    ...source,
    site,
    recordCid: (await findSite(db, site))?.live?.recordCid ?? null,
    files: after.files.size,
    intactFiles: [...after.files.values()].filter(({ hash }) => !after.bad.has(hash)).length,
    findings: [...storedFindings(before, after), ...source.findings],
  }
}

export interface Stored {
  readonly files: ReadonlyMap<string, SnapshotFile>
  readonly isReadable: boolean
  /** By hash: what is wrong with the blob, in words. */
  readonly bad: ReadonlyMap<string, string>
}

/** What reading stored bytes takes. */
interface ReadContext {
  readonly blobs: Pick<SyncContext['blobs'], 'open'>
}

/** The stored files of the live version, and those of them whose bytes are damaged. Reads all of them. */
export async function readStored(
  site: SiteAddress,
  context: Pick<SyncContext, 'db' | 'signal'> & ReadContext,
): Promise<Stored> {
  const text = await findLiveSnapshot(context.db, site)
  if (text === null) return { files: new Map(), isReadable: true, bad: new Map() }
  try {
    const { files } = decodeSnapshot(text)
    return { files, isReadable: true, bad: await badBlobs(files.values(), context) }
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    return { files: new Map(), isReadable: false, bad: new Map() }
  }
}

/** The blobs whose stored bytes do not match their hash, or are not the blob that the owner's record names. */
async function badBlobs(
  files: Iterable<SnapshotFile>,
  { blobs, signal }: ReadContext & Pick<SyncContext, 'signal'>,
): Promise<Map<string, string>> {
  const byHash = [...Map.groupBy(files, ({ hash }) => hash)]
  const bad = new Map<string, string>()
  await mapAtOnce(byHash, { atOnce: blobsAtOnce, signal }, async ([hash, uses]) => {
    const stored = await blobs.open(hash)
    // In a repository the blob has these bytes, or their base64, which ingest decodes.
    const cids = stored && [rawCid(Buffer.from(hash, 'hex')), rawCid(await base64Digest(stored))]
    if (cids === null) bad.set(hash, 'its bytes are missing or damaged')
    else if (!uses.every(({ cid }) => cids.includes(cid))) {
      bad.set(hash, 'its bytes are not those of the blob that the record names')
    }
  })
  return bad
}

async function base64Digest(stored: Blob): Promise<Uint8Array> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const piece of piecesOf(stored)) hasher.update(Buffer.from(piece).toString('base64'))
  return hasher.digest()
}

function storedFindings(before: Stored, after: Stored): Finding[] {
  const damaged = [...before.files].flatMap(([path, { hash }]) => {
    const problem = before.bad.get(hash)
    if (problem === undefined) return []
    const isRepaired = after.isReadable && !after.bad.has(hash)
    return [{ what: `${JSON.stringify(path)}: ${problem}`, isRepaired }]
  })
  if (before.isReadable) return damaged
  return [{ what: 'the snapshot of the live version cannot be read', isRepaired: after.isReadable }]
}

async function readSource(site: SiteAddress, context: SyncContext): Promise<SourceReading> {
  const before = (await findSite(context.db, site))?.live ?? null
  let status: RepoStatus | null = null
  try {
    status = (await checkAccount(site.did, context)).status
    if (status !== 'active') {
      const finding = wrong(`the account is ${status} at its server: visitors do not get the site`)
      return { status, outcome: null, findings: [finding] }
    }
    const outcome = await ingestSite(site, context)
    const findings = await outcomeFindings(outcome, before !== null, site, context)
    return { status, outcome, findings }
  } catch (error) {
    context.signal.throwIfAborted()
    context.log.warn('site repair failed', { did: site.did, site: site.name, error })
    const reason = error instanceof Error ? error.message : error
    return { status, outcome: null, findings: [wrong(`the source could not be read: ${reason}`)] }
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
      return [repaired(wasLive ? 'another version was live here' : 'it was not here')]
    case 'removed':
      return wasLive ? [repaired('its owner has removed it')] : []
    case 'outdated':
      return [wrong('its server returned an older state than is live here')]
    case 'not-known':
      return [wrong('its account is not known here, so the site is not ingested')]
    case 'taken-down':
      return [wrong('it was taken offline here, so it is not ingested')]
    case 'too-many':
      return [wrong(tooManySites)]
    case 'refused': {
      const problems = (await findSite(db, site))?.refused?.problems ?? []
      return problems.map((problem) => wrong(`refused: ${problem}`))
    }
  }
}
