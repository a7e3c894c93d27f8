import { backoff } from '#concurrency/backoff.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { recordEvent } from '#observe/events.ts'
import type { FeedContext } from '#store/database/change-feed.ts'
import {
  type Change,
  keptChangeSeqs,
  latestChangeSeq,
  readChanges,
} from '#store/database/changes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { Term } from '#store/duties.ts'
import { readPurgedSeq, savePurgedSeq } from '#store/names/cdn-purges.ts'
import { type Cdn, hostsOfPurgeMax } from './cdn.ts'
import { hostsToPurge } from './hosts-to-purge.ts'

/** By then every process has dropped its own copies; a CDN that asks before would get what is to go. */
export const settledMs = 2_000
const changesAtOnce = 500
const pollIntervalMs = 30_000
/** Purges of a CDN are counted: what comes within this time goes together. */
export const pauseMs = 5_000
/** Where it keeps pages, changes wait for a purge. */
const pauseMsOfPages = 1_000
const retryMs = backoff({ min: 5_000, max: 5 * 60_000, jitter: 0.5 })

interface PurgeContext extends FeedContext {
  readonly term: Pick<Term, 'lock'>
  readonly cdn: Pick<Cdn, 'purge'>
  readonly baseDomain: string
  /** Whether publishing purges, too. */
  readonly keepsPages: boolean
  readonly now: () => number
}

/** A request that the CDN refuses is repeated for so long: the mistake may be in the settings. */
export const refusedMsMax = 60 * 60_000

/**
 * Tells a CDN which hosts' copies to drop, until the signal aborts: what `changes` says, in order, from where the last call
 * or process ended, again and again until the CDN accepts it. Throws DutyLostError. If changes were pruned meanwhile (after a day), everything.
 */
export async function purgeCdn(context: PurgeContext): Promise<void> {
  const { signal, wakeUps } = context
  using wakeUp = wakeUps.subscribe('changes')
  const purger = new CdnPurger(context)
  const onError = waitForDatabase('CDN purges', context)
  let dueAt = 0
  const work = async (): Promise<number> => {
    // Wake-ups end waits for changes only.
    const early = dueAt - performance.now()
    if (early > 0) return early
    const pass = await purger.purgeDue()
    dueAt = pass.isIdle ? 0 : performance.now() + pass.nextMs
    return pass.nextMs
  }
  await everyOrWhenWoken(work, { signal, wakeUp, onError })
}

/** `isIdle`: nothing is left to do until something changes. */
interface Pass {
  readonly nextMs: number
  readonly isIdle: boolean
}

type Answer = 'done' | 'refused' | { readonly retryAfterMs: number }

/** What `purgeCdn` repeats. */
export class CdnPurger {
  readonly #context: PurgeContext
  #failures = 0

  constructor(context: PurgeContext) {
    this.#context = context
  }

  async purgeDue(): Promise<Pass> {
    const { db, now } = this.#context
    const seen = await readPurgedSeq(db)
    if (seen === null) return await this.#done(await latestChangeSeq(db))
    const { oldest, newest } = await keptChangeSeqs(db)
    if (oldest > seen + 1) {
      const answer = await this.#send('everything')
      return answer === 'done' ? await this.#done(newest) : this.#later(answer)
    }
    const changes = await readChanges(db, seen, changesAtOnce)
    const settled = settledOf(changes, now())
    const [first, last] = [settled.at(0), settled.at(-1)]
    if (first === undefined || last === undefined) {
      const isIdle = changes.length === 0
      return { nextMs: isIdle ? pollIntervalMs : settledMs, isIdle }
    }
    const hosts = [...(await hostsToPurge(db, settled, this.#context))]
    for (const some of chunksOf(hosts, hostsOfPurgeMax)) {
      const answer = await this.#tell(some)
      const isGivenUp = answer === 'refused' && now() - first.createdAt > refusedMsMax
      if (answer !== 'done' && !isGivenUp) return this.#later(answer)
    }
    return await this.#done(last.seq)
  }

  async #done(seq: number): Promise<Pass> {
    const { db, term } = this.#context
    // A late instance must not skip what another one has not sent yet, nor go back.
    await inTransaction(db, async (transaction) => {
      await term.lock(transaction)
      await savePurgedSeq(transaction, seq)
    })
    this.#failures = 0
    return { nextMs: this.#context.keepsPages ? pauseMsOfPages : pauseMs, isIdle: false }
  }

  #later(answer: Exclude<Answer, 'done'>): Pass {
    const asked = answer === 'refused' ? 0 : answer.retryAfterMs
    return { nextMs: Math.max(asked, retryMs(this.#failures++)), isIdle: false }
  }

  /** Hosts that the CDN does not serve, such as custom domains, do not keep it from dropping others. */
  async #tell(hosts: readonly string[]): Promise<Answer> {
    const answer = await this.#send(hosts)
    if (answer !== 'refused') return answer
    let isOneDone = false
    for (const host of hosts.length === 1 ? [] : hosts) {
      const alone = await this.#send([host])
      if (alone === 'done') isOneDone = true
      else if (alone !== 'refused') return alone
    }
    return isOneDone ? 'done' : await this.#askWhether(hosts)
  }

  /** Whether it refuses only these: then an account with many such hosts must not delay what others take back. */
  async #askWhether(refused: readonly string[]): Promise<Answer> {
    const { baseDomain } = this.#context
    const isServed = (host: string) => host === baseDomain || host.endsWith(`.${baseDomain}`)
    return refused.some(isServed) ? 'refused' : await this.#send([`sites.${baseDomain}`])
  }

  async #send(hosts: readonly string[] | 'everything'): Promise<Answer> {
    const { cdn, log, signal } = this.#context
    const facts =
      hosts === 'everything'
        ? ({ hosts: 'all' } as const)
        : { hosts: hosts.length, host: hosts.join(' ') }
    try {
      const answer = await cdn.purge(hosts)
      if (answer.kind === 'done') {
        recordEvent(log, 'cdn_purged', facts)
        return 'done'
      }
      recordEvent(log, 'cdn_not_purged', { ...facts, reason: `status ${answer.status}` })
      return answer.kind === 'refused' ? 'refused' : answer
    } catch (error) {
      if (!signal.aborted) recordEvent(log, 'cdn_not_purged', { ...facts, error })
      return { retryAfterMs: 0 }
    }
  }
}

/** A clock that was set back does not delay them. */
function settledOf(changes: readonly Change[], now: number): Change[] {
  const isFresh = ({ createdAt }: Change) => createdAt <= now && createdAt > now - settledMs
  const end = changes.findIndex(isFresh)
  return end === -1 ? [...changes] : changes.slice(0, end)
}
