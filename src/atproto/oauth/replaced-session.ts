import { MemoryStore, type StateStore, type StoredSession } from '@atcute/oauth-node-client'
import { orAborted } from '#concurrency/or-aborted.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { Clients } from './oauth-client.ts'
import type { OAuthPool } from './oauth-pools.ts'

/** How long a sign-in waits for the server to confirm, then to revoke, the grant that it replaces. */
export interface ReplacedLimits {
  readonly confirmMsMax: number
  readonly revokeMsMax: number
}

const limitsDefault: ReplacedLimits = { confirmMsMax: 2_000, revokeMsMax: 1_000 }

interface ReplacedContext {
  readonly clients: Clients
  readonly pool: OAuthPool
  readonly states: StateStore
  readonly log: Log
  readonly replacedLimits?: ReplacedLimits
}

/** The session with renewed tokens, which prove that its grant is alive; undefined: none in time. Stores nothing. */
export async function renewReplaced(
  did: Did,
  replaced: StoredSession,
  context: ReplacedContext,
): Promise<StoredSession | undefined> {
  const { confirmMsMax } = context.replacedLimits ?? limitsDefault
  const store = new MemoryStore<Did, StoredSession>()
  try {
    const renewed = clientOf(did, replaced, context, store).then((client) => {
      return client.restore(did, { refresh: true })
    })
    await orAborted(renewed, AbortSignal.timeout(confirmMsMax))
  } catch (error) {
    context.log.warn('replaced session not confirmed', { did, error })
  }
  const after = await store.get(did)
  return after?.tokenSet.access_token === replaced.tokenSet.access_token ? undefined : after
}

/** Revokes the session at its server, if that answers in time. A request that still uses its tokens retries with the new ones. */
export async function endReplaced(
  did: Did,
  replaced: StoredSession,
  context: ReplacedContext,
): Promise<void> {
  const { revokeMsMax } = context.replacedLimits ?? limitsDefault
  try {
    const revoked = clientOf(did, replaced, context).then((client) => client.revoke(did))
    await orAborted(revoked, AbortSignal.timeout(revokeMsMax))
  } catch (error) {
    context.log.warn('replaced session not revoked', { did, error })
  }
}

/** A client with a separate store for this session: late tokens must not replace the new session. */
async function clientOf(
  did: Did,
  session: StoredSession,
  { clients, pool, states }: ReplacedContext,
  store = new MemoryStore<Did, StoredSession>(),
) {
  await store.set(did, session)
  return await clients.open(store, states, pool)
}
