import type { Identities } from '#atproto/identity/identity.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import type { LaterChanges, SeenChanges } from './identity-changes.ts'

/** While the other process cannot be reached. */
const retryMsDefault = 1_000
/** Between two questions: a network may announce many changes. */
const paceMsDefault = 100

interface FollowOptions {
  /** Null: the other process cannot be reached, or the signal ended the wait. */
  readonly changesAfter: (
    seen: SeenChanges | null,
    signal: AbortSignal,
  ) => Promise<LaterChanges | null>
  readonly identities: Pick<Identities, 'forget' | 'forgetAll'>
  readonly signal: AbortSignal
  readonly retryMs?: number
  readonly paceMs?: number
}

/** Invalidates cached identities as the process that follows the network learns of changes, until the signal aborts. */
export async function followIdentityChanges({
  changesAfter,
  identities,
  signal,
  retryMs = retryMsDefault,
  paceMs = paceMsDefault,
}: FollowOptions): Promise<void> {
  let seen: SeenChanges | null = null
  const follow = async (): Promise<number> => {
    const later: LaterChanges | null = await changesAfter(seen, signal)
    if (later === null) return retryMs
    if (later.dids === null) identities.forgetAll()
    for (const did of later.dids ?? []) identities.forget(did)
    seen = { run: later.run, last: later.last }
    return paceMs
  }
  await everyOrWhenWoken(follow, { signal })
}
