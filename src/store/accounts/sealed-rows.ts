import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import { prepared } from '#store/database/prepared.ts'

/** `kind` separates uses. */
interface SealedKey {
  readonly kind: string
  readonly key: string
}

/** Writes or replaces a row. `sealed` is the caller's ciphertext; `expiresAt` null: kept until deleted. */
export async function putSealed(
  db: Db,
  row: SealedKey & { sealed: string; expiresAt: number | null },
): Promise<void> {
  const { sealed, expiresAt } = row
  await db
    .insertInto('sealedRows')
    .values(row)
    .onConflict((conflict) => conflict.columns(['kind', 'key']).doUpdateSet({ sealed, expiresAt }))
    .execute()
}

/** Replaces or deletes (null) a row that is still `seen`; false when it is not. */
export async function swapSealed(
  db: Db,
  { kind, key }: SealedKey,
  seen: string,
  sealed: string | null,
): Promise<boolean> {
  if (sealed === null) {
    const deleted = db.deleteFrom('sealedRows').where('kind', '=', kind).where('key', '=', key)
    return (await deleted.where('sealed', '=', seen).executeTakeFirstOrThrow()).numDeletedRows > 0n
  }
  const updated = db.updateTable('sealedRows').set({ sealed }).where('kind', '=', kind)
  const swapped = updated.where('key', '=', key).where('sealed', '=', seen)
  return (await swapped.executeTakeFirstOrThrow()).numUpdatedRows > 0n
}

/** Null when there is none or it has expired. */
export async function getSealed(
  db: Db,
  { kind, key }: SealedKey,
  now: number,
): Promise<string | null> {
  const { rows } = await selectSealed(db, { kind, key, now })
  return rows[0]?.sealed ?? null
}

/** Prepared: runs with every call to an account's server. */
const selectSealed = prepared<SealedKey & { readonly now: number }, { sealed: string }>(
  (db, { kind, key, now }) =>
    db
      .selectFrom('sealedRows')
      .select('sealed')
      .where('kind', '=', kind)
      .where('key', '=', key)
      .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now)])),
)

/** The rows of a kind that have not expired, in the order of their keys, page by page. */
export function sealedPages(
  db: Db,
  kind: string,
  { limit = 200, now }: { limit?: number; now: () => number },
): AsyncGenerator<{ key: string; sealed: string }[]> {
  const list = (after: string) =>
    db
      .selectFrom('sealedRows')
      .select(['key', 'sealed'])
      .where('kind', '=', kind)
      .where('key', '>', after)
      .where((where) => where.or([where('expiresAt', 'is', null), where('expiresAt', '>', now())]))
      .orderBy('key')
      .limit(limit)
      .execute()
  return pagesOf(list, ({ key }) => key)
}

export async function deleteSealed(db: Db, { kind, key }: SealedKey): Promise<void> {
  await db.deleteFrom('sealedRows').where('kind', '=', kind).where('key', '=', key).execute()
}

export async function deleteExpiredSealed(db: Db, now: number): Promise<void> {
  await db.deleteFrom('sealedRows').where('expiresAt', '<=', now).execute()
}
