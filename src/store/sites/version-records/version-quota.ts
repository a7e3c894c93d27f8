import { overAccountVersions } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import { decodeSnapshot, SnapshotFormatError } from '#site/visit/snapshot.ts'
import type { Db } from '#store/database/database.ts'
import { type AccountLimits, limitsOfAccount } from '#store/moderation/account-limits.ts'
import { type KeptSnapshot, snapshotPages } from '#store/sites/snapshot-pages.ts'
import type { VersionRecordKey } from './version-record-rows.ts'

/** An account's versions, all together, may take as many times what its live sites may. */
const versionsFactor = 2

/**
 * The problem, for the owner, if the account's versions take more than their quota with a version that has these blobs
 * (stored bytes by CID); else null. What several versions share counts once.
 */
export async function findVersionQuotaProblem(
  db: Db,
  { did, key }: VersionRecordKey,
  blobs: ReadonlyMap<string, number>,
  defaults: AccountLimits,
): Promise<string | null> {
  const { accountBytesMax } = await limitsOfAccount(db, did, defaults)
  if (accountBytesMax === undefined) return null
  const bytesMax = accountBytesMax * versionsFactor
  const own = blobs.values().reduce((sum, bytes) => sum + bytes, 0)
  if (own + (await bytesAtMost(db, did)) <= bytesMax) return null
  const distinct = new Map(blobs)
  let bytes = own
  for await (const page of snapshotPages(db, { did })) {
    for (const kept of page) {
      if (kept.key === key) continue
      for (const { cid, storedBytes } of filesOf(kept)) {
        if (!distinct.has(cid)) bytes += storedBytes
        distinct.set(cid, storedBytes)
      }
      if (bytes > bytesMax) return overAccountVersions(bytesMax)
    }
  }
  return null
}

/** Of all versions, each counted as a whole. Spares reading every snapshot of a small account. */
async function bytesAtMost(db: Db, did: Did): Promise<number> {
  const sums = await Promise.all(
    (['versions', 'versionRecords'] as const).map((table) =>
      db
        .selectFrom(table)
        .select(({ fn }) => fn.sum<number | null>('bytes').as('bytes'))
        .where('did', '=', did)
        .where('snapshot', 'is not', null)
        .executeTakeFirstOrThrow(),
    ),
  )
  return sums.reduce((sum, { bytes }) => sum + Number(bytes ?? 0), 0)
}

function filesOf({ snapshot }: KeptSnapshot) {
  try {
    return decodeSnapshot(snapshot).files.values()
  } catch (error) {
    // It names nothing that visitors could get.
    if (error instanceof SnapshotFormatError) return []
    throw error
  }
}
