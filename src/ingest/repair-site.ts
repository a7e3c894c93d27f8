import type { RepoStatus } from '#atproto/repo/repo-status.ts'
import { tooManySites } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { forgetBlobs } from '#store/sites/blobs.ts'
import { findSite } from '#store/sites/sites.ts'
import { checkAccount } from './check-account.ts'
import { type IngestOutcome, ingestSite } from './ingest-site.ts'
import { repairVersions } from './repair-versions.ts'
import { type Finding, readStored, repaired, storedFindings, wrong } from './stored-files.ts'
import type { SyncContext } from './sync-account.ts'

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
 * Reads every stored byte of a site and of the versions that its owner keeps, and every record of it with its proof from
 * the owner's server, and corrects what is stored. Damaged blobs are fetched again. Throws only when our own stores fail.
 */
export async function repairSite(site: SiteAddress, context: SyncContext): Promise<RepairReport> {
  const { db } = context
  const before = await readStored(site, context)
  await forgetBlobs(db, [...before.bad.keys()])
  const source = await readSource(site, context)
  const after = await readStored(site, context)
  const versions = source.outcome === null ? [] : await repairVersions(site, context)
  return {
    ...source,
    site,
    recordCid: (await findSite(db, site))?.live?.recordCid ?? null,
    files: after.files.size,
    intactFiles: [...after.files.values()].filter(({ hash }) => !after.bad.has(hash)).length,
    findings: [...storedFindings(before, after), ...source.findings, ...versions],
  }
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
