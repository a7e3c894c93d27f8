import { type Seal, SealError } from '#atproto/oauth/seal.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import { listSealedSecrets, replaceSealedSecret } from '#store/webhooks/sealed-secrets.ts'
import { webhookContext } from './webhook-secret.ts'

/** Seals the secrets of all webhooks with the newest SECRET_KEY, except those that no key opens: their owners replace them. */
export async function sealWebhooksAnew(db: Db, seal: Seal): Promise<void> {
  const list = (after: string) => listSealedSecrets(db, after)
  for await (const page of pagesOf(list, ({ id }) => id)) {
    for (const { id, sealedSecret } of page) {
      const secret = await openOrNull(seal, sealedSecret, webhookContext(id))
      if (secret === null) continue
      const anew = await seal.seal(secret, webhookContext(id))
      await replaceSealedSecret(db, { id, sealedSecret }, anew)
    }
  }
}

/** Null: no SECRET_KEY opens it. */
export async function openOrNull(seal: Seal, sealed: string, context: string) {
  try {
    return await seal.open(sealed, context)
  } catch (error) {
    if (error instanceof SealError) return null
    throw error
  }
}
