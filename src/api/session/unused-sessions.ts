import { sessionKind } from '#atproto/oauth/oauth.ts'
import type { Did } from '#site/site-address.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { deleteSealedIfSame, listUnusedSealed } from '#store/lifecycle/unused-sealed-rows.ts'
import { type RevokeContext, revokeIfUnused } from './end-sign-ins.ts'
import { sessionIdleMs } from './sessions.ts'

const lookedAtMax = 1000

/** Revokes the grant of the account with this `didHash`, unless a browser or job still needs it. */
export async function revokeUnusedOf(hash: string, context: RevokeContext): Promise<void> {
  const clock = { now: context.now(), idleMs: sessionIdleMs }
  const unused = await listUnusedSealed(context.db, sessionKind, { limit: lookedAtMax, ...clock })
  const row = unused.find(({ did }) => didHash(did) === hash)
  if (row !== undefined) await revokeIfUnused(row.did, context)
}

/**
 * Revokes OAuth grants without use: the last browser session has expired, or its owner signed out while a job ran. Only
 * after two passes in a row found them unused and unchanged: during a sign-in there is no browser session yet.
 */
export class UnusedSessions {
  readonly #context: RevokeContext
  #before = new Map<Did, string>()

  constructor(context: RevokeContext) {
    this.#context = context
  }

  /** One pass. Failures of an account's server are logged; the session ends here regardless. */
  async revoke(): Promise<void> {
    const { db, now } = this.#context
    const clock = { now: now(), idleMs: sessionIdleMs }
    const unused = await listUnusedSealed(db, sessionKind, { limit: lookedAtMax, ...clock })
    for (const row of unused.filter(({ did, sealed }) => this.#before.get(did) === sealed)) {
      await revokeIfUnused(row.did, this.#context)
      await deleteSealedIfSame(db, { ...row, kind: sessionKind })
    }
    this.#before = new Map(unused.map(({ did, sealed }) => [did, sealed]))
  }
}
