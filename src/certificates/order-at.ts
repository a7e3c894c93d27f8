import type { Seal } from '#atproto/oauth/seal.ts'
import type { Log } from '#observe/log.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import type { CertificateProblem } from '#site/certificate-state.ts'
import { putChallenge, putDnsChallenge, takeOrder } from '#store/certificates/acme.ts'
import type { DueCertificate } from '#store/certificates/due-certificates.ts'
import type { Db } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import type { AcmeClient, OrderExtras } from './acme/acme-client.ts'
import { AcmeProblemError, problemKind } from './acme/acme-problem.ts'
import { certificateId } from './acme/certificate-id.ts'
import { type ChallengeAnswers, methodOf, orderCertificate } from './acme/order-certificate.ts'
import { type Authority, openClient } from './authority.ts'
import { caaProblem } from './caa.ts'
import type { Certificate } from './certificate.ts'
import { checkIssued } from './check-issued.ts'
import type { CertificatePoint } from './fail-points.ts'

export interface OrderContext {
  readonly db: Db
  readonly log: Log
  readonly lookUp: LookUp
  readonly seal: Seal
  readonly now: () => number
  readonly at: (point: CertificatePoint) => unknown
  readonly signal: AbortSignal
}

export type OrderOutcome =
  | {
      readonly outcome: 'issued'
      readonly certificate: Certificate
      /** Whether the authority says when it wants certificates to be renewed. */
      readonly saysWhenToRenew: boolean
    }
  /** Nobody was asked: the account has used up its orders. */
  | { readonly outcome: 'later'; readonly waitMs: number }
  | {
      readonly outcome: 'failed'
      readonly problem: CertificateProblem
      readonly detail: string | null
      readonly pauseMs: number
    }

export const orderMsMax = 120_000
const hourMs = 60 * 60_000
const challengeMs = hourMs

/** Let's Encrypt's limit of new orders of an account is 300 in three hours. */
const orderAllowance = { count: 250, windowMs: 3 * hourMs }

/** Orders a certificate at one authority, within `orderMsMax`. Throws the signal's reason, and what the database throws. */
export async function orderAt(
  authority: Authority,
  due: DueCertificate,
  context: OrderContext,
): Promise<OrderOutcome> {
  const { log, signal } = context
  const { name } = due
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(orderMsMax)])
    return await order(authority, due, { ...context, signal: limit })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof DatabaseUnavailableError) throw error
    if (error instanceof OrdersUsedUpError) return { outcome: 'later', waitMs: error.waitMs }
    if (error instanceof AcmeProblemError) {
      const { message: detail, retryAfterMs, type } = error
      return { outcome: 'failed', problem: problemKind(type), detail, pauseMs: retryAfterMs ?? 0 }
    }
    log.warn('certificate order failed', { host: name, authority: authority.directory, error })
    return { outcome: 'failed', problem: 'away', detail: null, pauseMs: 0 }
  }
}

class OrdersUsedUpError extends Error {
  override readonly name = 'OrdersUsedUpError'
  readonly waitMs: number

  constructor(waitMs: number) {
    super(`the account has used up its orders; waitMs=${waitMs}`)
    this.waitMs = waitMs
  }
}

async function order(
  authority: Authority,
  due: DueCertificate,
  context: OrderContext,
): Promise<OrderOutcome> {
  const { at, db, lookUp, now, signal } = context
  const { name } = due
  const client = await openClient(authority, context)
  await client.register(authority)
  const { meta, renewalInfo } = await client.directory()
  const identities = meta.caaIdentities
  if (identities.length > 0) {
    const issuer = { identities, accountUrl: client.accountUrl, method: methodOf(name) }
    const detail = await caaProblem(name, issuer, lookUp, { signal })
    if (detail !== null) throw new AcmeProblemError('caa', detail)
  }
  const extras = await extrasOf(authority, due, client, context)
  const beforeCounted = async () => {
    const waitMs = await takeOrder(db, authority.directory, orderAllowance, now())
    if (waitMs > 0) throw new OrdersUsedUpError(waitMs)
  }
  const expiresAt = now() + challengeMs
  const answers: ChallengeAnswers = {
    put: (token, answer) => putChallenge(db, { token, answer, expiresAt }),
    putDns: (name, value) => putDnsChallenge(db, { name, value, expiresAt }),
  }
  const certificate = await orderCertificate(name, extras, {
    answers,
    at,
    beforeCounted,
    client,
    signal,
  })
  checkIssued(certificate, name, now())
  return { outcome: 'issued', certificate, saysWhenToRenew: renewalInfo !== undefined }
}

async function extrasOf(
  { directory, profile }: Authority,
  { chain, issuedBy, name }: DueCertificate,
  client: AcmeClient,
  { log }: OrderContext,
): Promise<OrderExtras> {
  const { meta, renewalInfo } = await client.directory()
  const isRenewal = renewalInfo !== undefined && issuedBy === directory && chain !== null
  const replaces = isRenewal ? certificateId(chain) : null
  const isOffered = profile !== null && profile in meta.profiles
  if (profile !== null && !isOffered) {
    log.warn('certificate profile not offered', { host: name, authority: directory, profile })
  }
  return {
    ...(replaces !== null && { replaces }),
    ...(isOffered && { profile }),
  }
}
