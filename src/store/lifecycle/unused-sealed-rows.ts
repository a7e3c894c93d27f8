import type { Did } from '#site/site-address.ts'
import { hasDeployTokens } from '#store/accounts/deploy-tokens.ts'
import { hasPublishers } from '#store/accounts/publishers.ts'
import { listBrowserSessions, type SessionClock } from '#store/accounts/sessions.ts'
import type { Db } from '#store/database/database.ts'
import { listUnfinishedSites } from '#store/queues/jobs.ts'

/** A sealed row whose key is an account. */
export interface AccountSealedRow {
  readonly did: Did
  readonly sealed: string
}

/**
 * Rows of `kind` whose accounts have no browser session, no deploy token, no publisher, no unfinished job and no
 * unfinished account deletion.
 */
export async function listUnusedSealed(
  db: Db,
  kind: string,
  { limit, now, idleMs }: SessionClock & { readonly limit: number },
): Promise<AccountSealedRow[]> {
  const rows = await db
    .selectFrom('sealedRows')
    .leftJoin('browserSessions as session', (join) =>
      join
        .onRef('session.did', '=', 'sealedRows.key')
        .on('session.expiresAt', '>', now)
        .on('session.seenAt', '>', now - idleMs),
    )
    .leftJoin('jobs', (join) =>
      join.onRef('jobs.did', '=', 'sealedRows.key').on('jobs.finishedAt', 'is', null),
    )
    .leftJoin('deployTokens as token', (join) =>
      join
        .onRef('token.did', '=', 'sealedRows.key')
        .on('token.endedBy', 'is', null)
        .on('token.expiresAt', '>', now),
    )
    .leftJoin('publishers', 'publishers.did', 'sealedRows.key')
    .leftJoin('accountDeletions', 'accountDeletions.did', 'sealedRows.key')
    .select(['key', 'sealed'])
    .where('kind', '=', kind)
    .where('session.did', 'is', null)
    .where('jobs.did', 'is', null)
    .where('token.did', 'is', null)
    .where('publishers.did', 'is', null)
    .where('accountDeletions.did', 'is', null)
    .orderBy('key')
    .limit(limit)
    .execute()
  return rows.map(({ key, sealed }) => ({ did: key as Did, sealed }))
}

/** Whether an account has no browser session, no deploy token, no publisher and no unfinished job. */
export async function isUnused(db: Db, did: Did, clock: SessionClock): Promise<boolean> {
  return (
    (await listBrowserSessions(db, did, clock)).length === 0 &&
    !(await hasDeployTokens(db, did, clock.now)) &&
    !(await hasPublishers(db, did)) &&
    (await listUnfinishedSites(db, did)).length === 0
  )
}

/** Does nothing if the row was replaced meanwhile. */
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
