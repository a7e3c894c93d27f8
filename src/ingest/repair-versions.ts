import type { SiteAddress } from '#site/site-address.ts'
import { forgetBlobs } from '#store/sites/blobs.ts'
import type { VersionRecordKey } from '#store/sites/record-version-record.ts'
import { findVersionSnapshot, listKeptVersions } from '#store/sites/version-records.ts'
import { ingestVersion } from './ingest-version.ts'
import { type Finding, readSnapshot, storedFindings, wrong } from './stored-files.ts'
import type { SyncContext } from './sync-account.ts'

/** Reads every stored byte of the versions that the site's owner keeps, and fetches damaged blobs again. */
export async function repairVersions(site: SiteAddress, context: SyncContext): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const version of await listKeptVersions(context.db, site)) {
    context.signal.throwIfAborted()
    findings.push(...(await repairVersion(version, context)))
  }
  return findings
}

async function repairVersion(version: VersionRecordKey, context: SyncContext): Promise<Finding[]> {
  const { db, log, signal } = context
  const name = `version ${version.key}`
  const read = async () => await readSnapshot(await findVersionSnapshot(db, version), context)
  const before = await read()
  if (before.isReadable && before.bad.size === 0) return []
  await forgetBlobs(db, [...before.bad.keys()])
  try {
    await ingestVersion(version, context)
  } catch (error) {
    signal.throwIfAborted()
    log.warn('version repair failed', { ...version, error })
    const reason = error instanceof Error ? error.message : error
    return [wrong(`${name} could not be read from its source: ${reason}`)]
  }
  return storedFindings(before, await read(), name)
}
