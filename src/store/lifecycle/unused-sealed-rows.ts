import type { Did } from '#site/site-address.ts'
import { countBrowserSessions, type SessionClock } from '#store/accounts/sessions.ts'
import type { Db } from '#store/database/database.ts'
import { listUnfinishedSites } from '#store/queues/jobs.ts'

/** A sealed row whose key is an account. */
export interface AccountSealedRow {
  readonly did: Did
  readonly sealed: string
}

/**
 * Rows of `kind` whose accounts do nothing here any more: they have no browser session that lasts, no job that waits or
 * runs, and do not wait to leave.
 */
export async function listUnusedSealed(
  db: Db,
  kind: string,
  { limit, now, idleMs }: SessionClock & { readonly limit: number },
): Promise<AccountSealedRow[]> {
  const rows = await db
    .selectFrom('sealedRows')
    .select(['key', 'sealed'])
    .where('kind', '=', kind)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('browserSessions')
            .select('did')
            .whereRef('browserSessions.did', '=', 'sealedRows.key')
            .where('expiresAt', '>', now)
            .where('seenAt', '>', now - idleMs),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs')
            .select('did')
            .where('finishedAt', 'is', null)
            .whereRef('jobs.did', '=', 'sealedRows.key'),
        ),
      ),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('departures').select('did').whereRef('departures.did', '=', 'sealedRows.key'),
        ),
      ),
    )
    .orderBy('key')
    .limit(limit)
    .execute()
  return rows.map(({ key, sealed }) => ({ did: key as Did, sealed }))
}

/** Whether an account has no browser session here that lasts, and no job that waits or runs. */
export async function isUnused(db: Db, did: Did, clock: SessionClock): Promise<boolean> {
  return (
    (await countBrowserSessions(db, did, clock)) === 0 &&
    (await listUnfinishedSites(db, did)).length === 0
  )
}

/** Unless it was replaced meanwhile. */
export async function deleteSealedIfSame(
  db: Db,
  { kind, did, sealed }: AccountSealedRow & { readonly kind: string },
): Promise<void> {
  await db
    .deleteFrom('sealedRows')
    .where('kind', '=', kind)
    .where('key', '=', did)
    .where('sealed', '=', sealed)
    .execute()
}
