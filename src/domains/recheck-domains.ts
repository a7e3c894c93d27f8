import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import { takeDueCustomDomains } from '#store/names/take-due-custom-domains.ts'
import { type VerifyContext, verifyDomain } from './verify-domain.ts'

const domainsAtOnce = 8
const takenAtOnce = 100
/** So long is a domain left alone when the process that took it is killed. */
const leaseMs = 60 * 60 * 1000
const lookAgainMs = 60_000

interface RecheckContext extends VerifyContext {
  readonly signal: AbortSignal
}

/**
 * Looks verified domains up again, each once a day, until the signal ends it. A database that is away is
 * waited for.
 */
export async function recheckDomains(context: RecheckContext): Promise<void> {
  const { log, signal } = context
  const check = async (): Promise<number> =>
    (await recheckDueDomains(context)) === takenAtOnce ? 0 : lookAgainMs
  await everyOrWhenWoken(check, {
    signal,
    onError: waitForDatabase('domain checks', { log, signal }),
  })
}

/** Those that are due now, at most a hundred; returns how many there were. */
export async function recheckDueDomains(context: RecheckContext): Promise<number> {
  const { db, now, signal } = context
  const due = await takeDueCustomDomains(db, { now: now(), leaseMs, limit: takenAtOnce })
  try {
    await mapAtOnce(due, { atOnce: domainsAtOnce, signal }, (domain) =>
      verifyDomain(domain, context),
    )
  } catch (error) {
    // Stopping is not failing: the lease brings back what was not looked up.
    if (!signal.aborted) throw error
  }
  return due.length
}
