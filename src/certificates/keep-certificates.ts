import { X509Certificate } from 'node:crypto'
import type { Seal } from '#atproto/oauth/seal.ts'
import { backoff } from '#concurrency/backoff.ts'
import { everyOrWhenWoken } from '#concurrency/every-or-when-woken.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import { type CertificateProblem, certificateAdvice } from '#site/certificate-state.ts'
import {
  deleteExpiredChallenges,
  findAcmeKey,
  keepAcmeKey,
  putChallenge,
  takeOrder,
} from '#store/certificates/acme.ts'
import {
  type DueCertificate,
  postponeCertificate,
  saveCertificate,
  saveCertificateFailure,
  takeDueCertificates,
} from '#store/certificates/certificates.ts'
import type { Db } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { waitForDatabase } from '#store/database/wait-for-database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { AcmeClient } from './acme/acme-client.ts'
import { AcmeProblemError, problemKind } from './acme/acme-problem.ts'
import { newKey } from './acme/certificate-request.ts'
import { orderCertificate } from './acme/order-certificate.ts'
import type { Certificate } from './certificate.ts'
import { accountContext, certificateContext } from './sealed-keys.ts'

/** An authority of RFC 8555. */
export interface Authority {
  /** URL of its directory. */
  readonly directory: string
  /** Roots to trust in addition, in PEM. */
  readonly ca: readonly string[]
  /** `mailto:` addresses. */
  readonly contact: readonly string[]
}

interface KeepContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly lookUp: LookUp
  readonly seal: Seal
  readonly authority: Authority
  /** A host that certainly leads here: a name without one of its addresses is not ordered for. */
  readonly applicationHost: string
  readonly now: () => number
  readonly signal: AbortSignal
}

const ordersAtOnceMax = 4
const batchMax = 16
const orderMsMax = 120_000
/** How long a name waits when the process that took it has died. */
const leaseMs = 5 * 60_000
const pollMs = 60_000
const hourMs = 60 * 60_000
const challengeMs = hourMs

/** Let's Encrypt's limit of new orders of an account is 300 in three hours. */
const orderAllowance = { count: 250, windowMs: 3 * hourMs }

/** Of one name. Let's Encrypt allows five failed validations of a name in an hour. */
const retryMs = backoff({ min: 5 * 60_000, max: 24 * hourMs, jitter: 0.2 })

/** Orders the certificates that are wanted, and renews those that have a third of their life left, until the signal. */
export async function keepCertificates(context: KeepContext): Promise<void> {
  const { log, signal, wakeUps } = context
  using woken = wakeUps.subscribe('certificates-wanted')
  const work = async (): Promise<number> => {
    try {
      return (await orderDue(context)) === batchMax ? 0 : pollMs
    } catch (error) {
      if (error instanceof DatabaseUnavailableError || signal.aborted) throw error
      // Such as the key of our account, sealed with another SECRET_KEY: sites are served without new certificates.
      log.error('certificates not ordered', { error })
      return pollMs
    }
  }
  const onError = waitForDatabase('certificate orders', { log, signal })
  await everyOrWhenWoken(work, { signal, wakeUp: woken, onError })
}

/** Orders at most `batchMax` due certificates; returns how many. */
export async function orderDue(context: KeepContext): Promise<number> {
  const { db, now, signal } = context
  await deleteExpiredChallenges(db, now())
  const due = await takeDueCertificates(db, { now: now(), leaseMs, limit: batchMax })
  if (due.length === 0) return 0
  const accountKey = await accountKeyOf(context)
  try {
    await mapAtOnce(due, { atOnce: ordersAtOnceMax, signal }, (each) =>
      orderOne(each, accountKey, context),
    )
  } catch (error) {
    // Stopping is not a failure: what was not ordered is due again when the lease expires.
    if (!signal.aborted) throw error
  }
  return due.length
}

async function accountKeyOf({ authority, db, seal }: KeepContext): Promise<string> {
  const { directory } = authority
  const context = accountContext(directory)
  const kept =
    (await findAcmeKey(db, directory)) ??
    (await keepAcmeKey(db, directory, await seal.seal(newKey(), context)))
  return await seal.open(kept, context)
}

async function orderOne(
  { failures, name }: DueCertificate,
  accountKey: string,
  context: KeepContext,
): Promise<void> {
  const { authority, db, log, now, signal, wakeUps } = context
  const fail = async (
    problem: CertificateProblem,
    detail: string | null = null,
    pauseMs = 0,
  ): Promise<void> => {
    const dueAt = Math.ceil(now() + Math.max(pauseMs, retryMs(failures)))
    await saveCertificateFailure(db, name, { problem, detail, dueAt })
    const reason = detail || certificateAdvice[problem](name)
    recordEvent(log, 'certificate_not_issued', { host: name, reason })
  }
  if (!(await leadsHere(name, context))) return await fail('elsewhere')
  const waitMs = await takeOrder(db, authority.directory, orderAllowance, now())
  if (waitMs > 0) return await postponeCertificate(db, name, now() + waitMs)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(orderMsMax)])
  try {
    const { ca, contact, directory } = authority
    const client = new AcmeClient({ directory, accountKey, ca, signal: limit })
    await client.register(contact)
    const put = (token: string, answer: string) =>
      putChallenge(db, { token, answer, expiresAt: now() + challengeMs })
    await store(
      name,
      await orderCertificate(name, { client, answers: { put }, signal: limit }),
      context,
    )
    wakeUps.notify('certificates')
    recordEvent(log, 'certificate_issued', { host: name })
  } catch (error) {
    if (signal.aborted) throw error
    if (!(error instanceof AcmeProblemError)) {
      log.warn('certificate order failed', { host: name, error })
      return await fail('away')
    }
    await fail(problemKind(error.type), error.message, error.retryAfterMs ?? 0)
  }
}

async function store(name: string, certificate: Certificate, context: KeepContext): Promise<void> {
  const { db, now, seal } = context
  const { chain, key } = certificate
  const { validFrom, validTo } = new X509Certificate(chain)
  const [from, validUntil] = [Date.parse(validFrom), Date.parse(validTo)]
  const sealedKey = await seal.seal(key, certificateContext(name))
  const renewAt = Math.round(from + ((validUntil - from) * 2) / 3)
  await saveCertificate(db, { name, chain, sealedKey, validUntil, renewAt }, now())
}

/** Whether the name has an address of the application's host. False where the DNS does not answer. */
async function leadsHere(
  name: string,
  { applicationHost, lookUp }: Pick<KeepContext, 'applicationHost' | 'lookUp'>,
): Promise<boolean> {
  const addressesOf = async (host: string): Promise<readonly string[]> => {
    const answers = await Promise.all([lookUp('A', host), lookUp('AAAA', host)])
    return answers.flatMap((answer) => (answer.answered ? answer.values : []))
  }
  const [theirs, ours] = await Promise.all([addressesOf(name), addressesOf(applicationHost)])
  return theirs.some((address) => ours.includes(address))
}
