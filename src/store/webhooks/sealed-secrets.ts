import type { Db } from '#store/database/database.ts'
import type { Webhook } from './webhooks.ts'

type SealedSecrets = Pick<Webhook, 'id' | 'sealedSecret' | 'sealedFormer'>

const secretsOfPage = 200

/** Of all webhooks, in the order of their ids. */
export async function listSealedSecrets(db: Db, after: string): Promise<SealedSecrets[]> {
  return await db
    .selectFrom('webhooks')
    .select(['id', 'sealedSecret', 'sealedFormer'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(secretsOfPage)
    .execute()
}

/** The same secrets, sealed anew. Does nothing if the owner has replaced the secret meanwhile. */
export async function replaceSealedSecrets(
  db: Db,
  { id, sealedSecret }: SealedSecrets,
  anew: Omit<SealedSecrets, 'id'>,
): Promise<void> {
  await db
    .updateTable('webhooks')
    .set(anew)
    .where('id', '=', id)
    .where('sealedSecret', '=', sealedSecret)
    .execute()
}
