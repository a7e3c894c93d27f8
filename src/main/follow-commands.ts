import type { RevokeContext } from '#api/session/end-sign-ins.ts'
import { revokeUnusedOf } from '#api/session/unused-sessions.ts'
import { type EventName, eventNames } from '#observe/events.ts'
import type { Tally } from '#observe/tally.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'

interface CommandsContext extends RevokeContext {
  readonly events: Pick<Tally<string>, 'add'>
}

/** What remains to be done of commands, in the running service: their events count, and who they sign out loses the grant. */
export function followCommands({ events, ...context }: CommandsContext): ChangeSubscriber {
  let seen = 0
  const revoke = (didHash: string): void =>
    void revokeUnusedOf(didHash, context).catch((error) =>
      // An hourly pass tries again.
      context.log.warn('session not revoked', { error }),
    )
  return {
    startAfresh() {},
    follow(changes) {
      for (const change of changes) {
        // Some may come again.
        if (change.seq <= seen) continue
        seen = change.seq
        if (change.kind === 'signed-out') revoke(change.didHash)
        if (change.kind !== 'events') continue
        for (const [name, count = 0] of Object.entries(change.counts)) {
          if (eventNames.includes(name as EventName)) events.add(name, count)
        }
      }
    },
  }
}
