import type { Db } from '#store/database/database.ts'
import type { Webhook } from './webhooks.ts'

type SealedSecret = Pick<Webhook, 'id' | 'sealedSecret'>

const secretsOfPage = 200

/** Of all webhooks, in the order of their ids. */
export async function listSealedSecrets(db: Db, after: string): Promise<SealedSecret[]> {
  return await db
    .selectFrom('webhooks')
    .select(['id', 'sealedSecret'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(secretsOfPage)
    .execute()
}

/** The same secret, sealed anew. Does nothing if its owner has replaced it meanwhile. */
export async function replaceSealedSecret(
  db: Db,
  { id, sealedSecret }: SealedSecret,
  anew: string,
): Promise<void> {
  await db
    .updateTable('webhooks')
    .set({ sealedSecret: anew })
    .where('id', '=', id)
    .where('sealedSecret', '=', sealedSecret)
    .execute()
}
