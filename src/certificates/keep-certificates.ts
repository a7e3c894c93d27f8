import { X509Certificate } from 'node:crypto'
import { backoff } from '#concurrency/backoff.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { recordEvent } from '#observe/events.ts'
import { type CertificateProblem, certificateAdvice } from '#site/certificate-state.ts'
import type { Did } from '#site/site-address.ts'
import { deleteExpiredChallenges } from '#store/certificates/acme.ts'
import {
  deleteOldCertificates,
  postponeCertificate,
  retryAfter,
  saveCertificate,
  saveCertificateFailure,
} from '#store/certificates/certificates.ts'
import { type DueCertificate, takeDueCertificates } from '#store/certificates/due-certificates.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { askRenewals, questionsMax } from './ask-renewals.ts'
import type { Authority } from './authority.ts'
import type { Certificate } from './certificate.ts'
import { dnsProblem } from './dns-problem.ts'
import { type OrderContext, type OrderOutcome, orderAt, orderMsMax } from './order-at.ts'
import { certificateContext } from './sealed-keys.ts'

interface KeepContext extends OrderContext {
  readonly wakeUps: WakeUps
  /** In this order; the next one where the one before cannot issue now. */
  readonly authorities: readonly Authority[]
  /** A host that certainly leads here: a name without one of its addresses is not ordered for. */
  readonly applicationHost: string
}

const ordersAtOnceMax = 4
const inARowMax = 16
/** A lease on a name lasts as long as an order at each authority may take, and this much more, for DNS and the database. */
const leaseMarginMs = 30_000
const pollMs = 15_000
const hourMs = 60 * 60_000

/** Of one name. Let's Encrypt allows five failed validations of a name in an hour. */
const retryMs = backoff({ min: 5 * 60_000, max: 24 * hourMs, jitter: 0.2 })

/** Where the DNS does not lead here no authority is asked: whoever corrects it need not wait long. Visitors do not wait so long. */
const dnsRetryMs = backoff({ min: 40_000, max: hourMs, jitter: 0.2 })
const ofDns = ['dns', 'elsewhere'] as const
const dnsProblems: ReadonlySet<CertificateProblem> = new Set(ofDns)

/** Why another authority may issue what this one does not; none reaches a name that does not lead here. */
const othersMayIssue: ReadonlySet<CertificateProblem> = new Set([
  'account',
  'away',
  'caa',
  'other',
  'rate-limit',
  'rejected-name',
])

/**
 * Orders the certificates that are wanted, and renews those that have a third of their life left, or when their authority says so,
 * until the signal.
 */
export async function keepCertificates(context: KeepContext): Promise<void> {
  // None waits for another one: an order takes two minutes where an authority hangs, and visitors wait for theirs.
  const busy = new Set<Did>()
  const { db, now } = context
  // Whoever has corrected the DNS and restarts wants to see what comes of it.
  await retryAfter(db, ofDns, now())
  const orders = Array.from({ length: ordersAtOnceMax }, () =>
    keepDoing(context, async () => ((await orderDue(context, busy)) === inARowMax ? 0 : pollMs)),
  )
  const questions = keepDoing(context, async () => {
    await deleteExpiredChallenges(context.db, context.now())
    await deleteOldCertificates(context.db, context.now())
    return (await askRenewals(context)) === questionsMax ? 0 : pollMs
  })
  await Promise.all([...orders, questions])
}

/** Until the signal: after as many milliseconds as `work` returns, or when a certificate is wanted. */
async function keepDoing(context: KeepContext, work: () => Promise<number>): Promise<void> {
  const { log, signal, wakeUps } = context
  using woken = wakeUps.subscribe('certificates-wanted')
  const workAndLog = async (): Promise<number> => {
    try {
      return await work()
    } catch (error) {
      if (error instanceof DatabaseUnavailableError || signal.aborted) throw error
      // Such as the key of our account, sealed with another SECRET_KEY: sites are served without new certificates.
      log.error('certificates not ordered', { error })
      return pollMs
    }
  }
  const onError = waitForDatabase('certificate orders', { log, signal })
  await everyOrWhenWoken(workAndLog, { signal, wakeUp: woken, onError })
}

/**
 * Orders due certificates, one after the other, until there is none or it has ordered many; returns how many. `busy`: accounts that a
 * custom domain is ordered for at this moment. They have to wait: domains with slow name servers would take all orders at once.
 */
export async function orderDue(context: KeepContext, busy = new Set<Did>()): Promise<number> {
  const { authorities, db, now, signal } = context
  const leaseMs = authorities.length * orderMsMax + leaseMarginMs
  for (let count = 0; count < inARowMax && !signal.aborted; count++) {
    const [due] = await takeDueCertificates(db, {
      now: now(),
      leaseMs,
      limit: 1,
      except: [...busy],
    })
    if (due === undefined) return count
    try {
      await orderUnlessBusy(due, busy, context)
    } catch (error) {
      // Stopping is not a failure.
      if (!signal.aborted) throw error
    }
  }
  return inARowMax
}

async function orderUnlessBusy(
  due: DueCertificate,
  busy: Set<Did>,
  context: KeepContext,
): Promise<void> {
  const { account, name } = due
  if (account === null) return await orderOne(due, context)
  // Another order for it was taken at the same moment.
  if (busy.has(account)) return await postponeCertificate(context.db, name, context.now())
  busy.add(account)
  try {
    await orderOne(due, context)
  } finally {
    busy.delete(account)
  }
}

async function orderOne(due: DueCertificate, context: KeepContext): Promise<void> {
  const { db, log, now, signal } = context
  const { name } = due
  try {
    const outcome = await orderAnywhere(due, context)
    switch (outcome.outcome) {
      case 'issued':
        return recordEvent(log, 'certificate_issued', { host: name })
      case 'later':
        return await postponeCertificate(db, name, now() + outcome.waitMs)
      case 'failed': {
        const { detail, pauseMs, problem } = outcome
        const isOfDns = dnsProblems.has(problem)
        // Counted apart: that the DNS was wrong for hours says nothing of the authority, and whoever makes it wrong between two
        // orders must not shorten the pause after the second one.
        const retryInMs = isOfDns ? dnsRetryMs(due.dnsFailures) : retryMs(due.failures)
        const dueAt = Math.ceil(now() + Math.max(pauseMs, retryInMs))
        await saveCertificateFailure(db, name, { problem, detail, dueAt, isOfDns })
        const reason = detail || certificateAdvice[problem](name)
        return recordEvent(log, 'certificate_not_issued', { host: name, reason })
      }
    }
  } catch (error) {
    // The next process need not wait for the lease.
    if (signal.aborted) await postponeCertificate(db, name, now())
    throw error
  }
}

/** At the first authority that issues it; stores it. */
async function orderAnywhere(due: DueCertificate, context: KeepContext): Promise<OrderOutcome> {
  const inTheWay = await dnsProblem(due.name, context)
  if (inTheWay !== null) return { outcome: 'failed', pauseMs: 0, ...inTheWay }
  let last: OrderOutcome | null = null
  for (const authority of context.authorities) {
    const outcome = await orderAt(authority, due, context)
    if (outcome.outcome === 'issued') {
      await store(due.name, { ...outcome, issuedBy: authority.directory }, context)
      return outcome
    }
    // What an authority refused says more than that another one was not asked.
    if (last === null || outcome.outcome === 'failed') last = outcome
    if (outcome.outcome === 'failed' && !othersMayIssue.has(outcome.problem)) break
  }
  if (last === null) throw new Error('no authority to order from')
  return last
}

interface Issued {
  readonly certificate: Certificate
  readonly saysWhenToRenew: boolean
  readonly issuedBy: string
}

async function store(
  name: string,
  { certificate, issuedBy, saysWhenToRenew }: Issued,
  context: KeepContext,
): Promise<void> {
  const { db, now, seal, wakeUps } = context
  const { chain, key } = certificate
  const { validFrom, validTo } = new X509Certificate(chain)
  const [from, validUntil] = [Date.parse(validFrom), Date.parse(validTo)]
  const sealedKey = await seal.seal(key, certificateContext(name))
  // By a clock that is far ahead every certificate is old: it would be ordered again and again.
  const renewAt = Math.max(Math.round(from + ((validUntil - from) * 2) / 3), now() + hourMs)
  const renewalInfoAt = saysWhenToRenew ? now() : null
  const times = { validUntil, renewAt, renewalInfoAt }
  await saveCertificate(db, { name, chain, sealedKey, issuedBy, ...times }, now())
  wakeUps.notify('certificates')
}
