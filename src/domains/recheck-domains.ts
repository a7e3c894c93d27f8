import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import { takeDueCustomDomains } from '#store/names/custom-domains.ts'
import { type VerifyContext, verifyDomain } from './verify-domain.ts'

const concurrentChecksMax = 8
const batchMax = 100
/** How long a domain waits when the process that took it has died. */
const leaseMs = 60 * 60 * 1000
const pollIntervalMs = 60_000

interface RecheckContext extends VerifyContext {
  readonly signal: AbortSignal
}

/** Rechecks verified domains, each once a day, until the signal aborts. Waits while the database is unavailable. */
export async function recheckDomains(context: RecheckContext): Promise<void> {
  const { log, signal } = context
  const check = async (): Promise<number> =>
    (await recheckDueDomains(context)) === batchMax ? 0 : pollIntervalMs
  await everyOrWhenWoken(check, {
    signal,
    onError: waitForDatabase('domain checks', { log, signal }),
  })
}

/** Checks at most `batchMax` due domains; returns how many. */
export async function recheckDueDomains(context: RecheckContext): Promise<number> {
  const { db, now, signal } = context
  const due = await takeDueCustomDomains(db, { now: now(), leaseMs, limit: batchMax })
  try {
    await mapAtOnce(due, { atOnce: concurrentChecksMax, signal }, (domain) =>
      verifyDomain(domain, context),
    )
  } catch (error) {
    // Stopping is not a failure: unchecked domains are due again when the lease expires.
    if (!signal.aborted) throw error
  }
  return due.length
}
