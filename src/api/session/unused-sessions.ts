import { type OAuth, sessionKind } from '#atproto/oauth/oauth.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import {
  deleteSealedIfSame,
  isUnused,
  listUnusedSealed,
} from '#store/lifecycle/unused-sealed-rows.ts'
import { sessionIdleMs } from './sessions.ts'

const lookedAtMax = 1000

interface UnusedContext {
  readonly db: Db
  readonly log: Log
  readonly now: () => number
  readonly oauth: Pick<OAuth, 'revoke'>
}

/**
 * Gives back what accounts' servers granted us, once nobody needs it: the last browser session has run out, or its
 * owner signed out while a job ran. What two looks in a row find unused and unchanged is revoked: in between
 * is somebody who signs in right now, and has no browser session yet.
 */
export class UnusedSessions {
  readonly #context: UnusedContext
  #before = new Map<Did, string>()

  constructor(context: UnusedContext) {
    this.#context = context
  }

  /** One look. What fails at an account's server is logged: here the session ends all the same. */
  async revoke(): Promise<void> {
    const { db, log, now, oauth } = this.#context
    const clock = () => ({ now: now(), idleMs: sessionIdleMs })
    const unused = await listUnusedSealed(db, sessionKind, { limit: lookedAtMax, ...clock() })
    for (const row of unused.filter(({ did, sealed }) => this.#before.get(did) === sealed)) {
      const { did } = row
      await oauth
        .revoke(did, () => isUnused(db, did, clock()))
        .catch((error) => log.warn('session not revoked', { did, error }))
      await deleteSealedIfSame(db, { ...row, kind: sessionKind })
    }
    this.#before = new Map(unused.map(({ did, sealed }) => [did, sealed]))
  }
}
