import type { SiteAddress } from '#site/site-address.ts'
import { appendChange } from '#store/database/changes.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction, lockUntilCommit } from '#store/database/transaction.ts'
import { siteSubject } from './record-version.ts'

/** Which states of a site's record: all that have this CID, or one. */
export type WhichStates = { readonly recordCid: string } | { readonly id: string }

/** The snapshots that `forgetStates` would return. */
export async function findStateSnapshots(
  db: Db,
  { did, name }: SiteAddress,
  of: WhichStates,
): Promise<string[]> {
  const states = db
    .selectFrom('versions')
    .select('snapshot')
    .where('did', '=', did)
    .where('name', '=', name)
    .where('state', '!=', 'live')
  const some =
    'id' in of ? states.where('id', '=', of.id) : states.where('recordCid', '=', of.recordCid)
  return (await some.execute()).flatMap(({ snapshot }) => snapshot ?? [])
}

/**
 * Deletes the site's versions of this record, or with this id, and returns the snapshots that they had; a live one
 * stays. Visitors get none of their assets any more.
 */
export function forgetStates(
  db: Db,
  { did, name }: SiteAddress,
  of: WhichStates,
  now: number,
): Promise<string[]> {
  return inTransaction(db, async (transaction) => {
    await lockUntilCommit(transaction, siteSubject({ did, name }))
    const states = transaction
      .deleteFrom('versions')
      .where('did', '=', did)
      .where('name', '=', name)
      .where('state', '!=', 'live')
    const some =
      'id' in of ? states.where('id', '=', of.id) : states.where('recordCid', '=', of.recordCid)
    const rows = await some.returning('snapshot').execute()
    if (rows.length > 0) await appendChange(transaction, { did, name }, now)
    return rows.flatMap(({ snapshot }) => snapshot ?? [])
  })
}
