import { clientKeyKind } from '#atproto/oauth/client-keys.ts'
import { type OAuth, sessionKind } from '#atproto/oauth/oauth.ts'
import { areSealedOtherwise } from '#atproto/oauth/oauth-rows.ts'
import type { Seal } from '#atproto/oauth/seal.ts'
import { openSealing } from '#main/service/open-oauth.ts'
import type { Log } from '#observe/log.ts'
import type { Db } from '#store/database/database.ts'
import { sealWebhooksAnew } from '#webhooks/seal-webhooks-anew.ts'

interface Seals {
  readonly db: Db
  readonly secrets: readonly [string, ...string[]]
}

/** Whether keys or sign-ins are stored and SECRET_KEY opens none of them. */
export async function hasLostSecret(seals: Seals): Promise<boolean> {
  const { rows, seal } = await openSealing(seals)
  const lost = [clientKeyKind, sessionKind].map((kind) => areSealedOtherwise(rows, seal, kind))
  return (await Promise.all(lost)).includes(true)
}

/** Once, at start: warns if the secret was replaced; seals everything with the newest secret if there are several. */
export async function checkSeals(
  context: Seals & {
    readonly log: Log
    readonly oauth: Pick<OAuth, 'sealAnew'>
    readonly webhookSeal: Seal
  },
): Promise<void> {
  const { db, log, oauth, secrets, webhookSeal } = context
  try {
    if (await hasLostSecret(context)) {
      log.warn(
        'keys and sign-ins were sealed with another SECRET_KEY: put it behind this one (NEW,OLD), or everybody has to sign in again',
      )
    }
    if (secrets.length === 1) return
    await oauth.sealAnew()
    await sealWebhooksAnew(db, webhookSeal)
    log.info('everything is sealed with the newest SECRET_KEY')
  } catch (error) {
    log.error('sealing with the newest SECRET_KEY failed', { error })
  }
}
