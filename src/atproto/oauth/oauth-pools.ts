import type { ActorResolver } from '@atcute/identity-resolver'
import type { SafeFetch } from '#outbound/safe-fetch.ts'

/** How requests of one kind go out: past semaphores that they share with no other kind. */
export interface OAuthPool {
  readonly actorResolver: ActorResolver
  readonly fetch: SafeFetch
}

/** What waits for an account's server: somebody who signs in, a request of an account that is signed in, a job. */
export type OAuthPoolName = 'signIns' | 'members' | 'jobs'

export type OAuthPools = Readonly<Record<OAuthPoolName, OAuthPool>>

/** The same pool; its requests end with the signal, and no longer wait for a permit. */
export function endingWith(signal: AbortSignal, { actorResolver, fetch }: OAuthPool): OAuthPool {
  return {
    actorResolver: {
      resolve: (actor, options) =>
        actorResolver.resolve(actor, { ...options, signal: eitherOf(signal, options?.signal) }),
    },
    fetch: (input, init) => {
      const own = init?.signal ?? (input instanceof Request ? input.signal : null)
      return fetch(input, { ...init, signal: eitherOf(signal, own) })
    },
  }
}

const eitherOf = (signal: AbortSignal, own: AbortSignal | null | undefined): AbortSignal =>
  own == null ? signal : AbortSignal.any([signal, own])
