import { setTimeout } from 'node:timers/promises'
import { SingleFlight } from '#concurrency/single-flight.ts'
import type { Did } from '#site/site-address.ts'
import { isKnownAccount } from '#store/accounts/accounts.ts'
import { hasLeft } from '#store/accounts/has-left.ts'
import type { Db } from '#store/database/database.ts'
import type { Hints } from '#store/database/hints.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { enqueueAccounts } from '#store/queues/enqueue.ts'
import { isAccountQueued } from '#store/queues/queued.ts'

const waitMs = 5_000
const lookAgainMs = 100
const metAtOnceMax = 100

/** As an address names the owner of a site. */
export type Owner =
  | { readonly did: Did; readonly handle?: never }
  | { readonly did?: never; readonly handle: string }

/** `later`: it is being looked at, or too many others are. `nobody`: it has no sites, or is not there. */
export type Meeting =
  | { readonly kind: 'met'; readonly did: Did }
  | { readonly kind: 'nobody' | 'later' | 'too-many' }

interface MeetContext {
  readonly db: Db
  readonly hints: Hints
  /** Null: nobody has it. Rejects when that cannot be found out. */
  readonly didOfHandle: (handle: string, signal: AbortSignal) => Promise<Did | null>
  /** Whether this client may bring one more account here. */
  readonly mayBring: (client: string) => boolean | Promise<boolean>
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Gets to know the owners of sites that are visited by their address (`INGEST=visited`). One look an owner at
 * a time, however many visitors wait for it.
 */
export class MeetOwner {
  readonly #context: MeetContext
  readonly #meetings = new SingleFlight<string, Meeting>()

  constructor(context: MeetContext) {
    this.#context = context
  }

  /** Of an account that is not known here. Waits five seconds at most for what is here then. */
  async meet(owner: Owner, client: string): Promise<Meeting> {
    const key = owner.did ?? owner.handle
    const isFull = this.#meetings.size >= metAtOnceMax && !this.#meetings.has(key)
    if (isFull) return { kind: 'later' }
    return await this.#meetings.run(key, () => this.#bring(owner, client))
  }

  async #bring(owner: Owner, client: string): Promise<Meeting> {
    const { db, mayBring, now } = this.#context
    if (!(await mayBring(client))) return { kind: 'too-many' }
    const did = owner.did ?? (await this.#didOf(owner.handle))
    if (did === null) return { kind: 'nobody' }
    if (await hasLeft(db, did)) return { kind: 'nobody' }
    await rememberVisited(db, did, now())
    if (await isKnownAccount(db, did)) return { kind: 'met', did }
    await enqueueAccounts(this.#context, [did], { isUrgent: true })
    return await this.#awaitLook(did)
  }

  #didOf(handle: string): Promise<Did | null> {
    const { didOfHandle, signal } = this.#context
    return didOfHandle(handle, AbortSignal.any([signal, AbortSignal.timeout(waitMs)]))
  }

  async #awaitLook(did: Did): Promise<Meeting> {
    const { db, signal } = this.#context
    const deadline = performance.now() + waitMs
    const met = async (otherwise: 'nobody' | 'later'): Promise<Meeting> =>
      (await isKnownAccount(db, did)) ? { kind: 'met', did } : { kind: otherwise }
    while (performance.now() < deadline) {
      // Not as soon as it is known: its sites are asked for after that, and would be nowhere for visitors until then.
      if (!(await isAccountQueued(db, did))) return await met('nobody')
      await setTimeout(lookAgainMs, undefined, { signal })
    }
    return await met('later')
  }
}
