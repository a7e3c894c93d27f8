import { setTimeout } from 'node:timers/promises'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { Did } from '#site/site-address.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { isAccountQueued } from '#store/queues/queued.ts'

const waitMs = 5_000
const pollMs = 100
const discoveriesAtOnceMax = 100

/** The owner of a site, as an address names it. */
export type Owner =
  | { readonly did: Did; readonly handle?: never }
  | { readonly did?: never; readonly handle: string }

/** `pending`: still running, or too many others are. `too-many`: rate limit. `not-found`: no account, or no sites. */
export type Discovery =
  | { readonly kind: 'known'; readonly did: Did }
  | { readonly kind: 'not-found' | 'pending' | 'too-many' }

interface DiscoverContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  /** Null: no account has the handle. Rejects when the lookup fails. */
  readonly didOfHandle: (handle: string, signal: AbortSignal) => Promise<Did | null>
  /** Whether the client's rate limit permits one more new account. */
  readonly mayBring: (client: string) => boolean | Promise<boolean>
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Discovers the owners of sites that are visited by their address (`INGEST=visited`). Single flight per owner,
 * however many visitors wait.
 */
export class DiscoverOwner {
  readonly #context: DiscoverContext
  readonly #discoveries = new SingleFlight<string, Discovery>()

  constructor(context: DiscoverContext) {
    this.#context = context
  }

  /** For an account that is not known here. Waits at most five seconds. */
  async discover(owner: Owner, client: string): Promise<Discovery> {
    const key = owner.did ?? owner.handle
    const isFull = this.#discoveries.size >= discoveriesAtOnceMax && !this.#discoveries.has(key)
    if (isFull) return { kind: 'pending' }
    return await this.#discoveries.run(key, () => this.#bring(owner, client))
  }

  async #bring(owner: Owner, client: string): Promise<Discovery> {
    const { db, didOfHandle, mayBring, now, signal } = this.#context
    if (!(await mayBring(client))) return { kind: 'too-many' }
    const timeLimit = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
    const did = owner.did ?? (await didOfHandle(owner.handle, timeLimit))
    if (did === null) return { kind: 'not-found' }
    if (await isDeletedHere(db, did)) return { kind: 'not-found' }
    await rememberVisited(db, did, now())
    if (await isKnownAccount(db, did)) return { kind: 'known', did }
    await enqueueAccounts(this.#context, [did], { isUrgent: true })
    return await this.#awaitCheck(did)
  }

  async #awaitCheck(did: Did): Promise<Discovery> {
    const { db, signal } = this.#context
    const deadline = performance.now() + waitMs
    const known = async (otherwise: 'not-found' | 'pending'): Promise<Discovery> =>
      (await isKnownAccount(db, did)) ? { kind: 'known', did } : { kind: otherwise }
    while (performance.now() < deadline) {
      // Not as soon as the account is known: until its sites are queued, visitors would get a 404.
      if (!(await isAccountQueued(db, did))) return await known('not-found')
      await setTimeout(pollMs, undefined, { signal })
    }
    return await known('pending')
  }
}
