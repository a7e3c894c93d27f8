import { type Seal, SealError } from '#atproto/oauth/seal.ts'
import type { Db } from '#store/database/database.ts'
import { pagesOf } from '#store/database/pages.ts'
import { listSealedSecrets, replaceSealedSecrets } from '#store/webhooks/sealed-secrets.ts'
import { webhookContext } from './webhook-secret.ts'

/** Seals the secrets of all webhooks, and those before that still sign, with the newest SECRET_KEY, except those that no key opens: their owners replace them. */
export async function sealWebhooksAnew(db: Db, seal: Seal): Promise<void> {
  const list = (after: string) => listSealedSecrets(db, after)
  for await (const page of pagesOf(list, ({ id }) => id)) {
    for (const sealed of page) {
      const context = webhookContext(sealed.id)
      const sealedSecret = await sealAnew(seal, sealed.sealedSecret, context)
      const { sealedFormer: former } = sealed
      const sealedFormer = former === null ? null : await sealAnew(seal, former, context)
      await replaceSealedSecrets(db, sealed, { sealedSecret, sealedFormer })
    }
  }
}

/** As it is where no SECRET_KEY opens it. */
async function sealAnew(seal: Seal, sealed: string, context: string): Promise<string> {
  const secret = await openOrNull(seal, sealed, context)
  return secret === null ? sealed : await seal.seal(secret, context)
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
