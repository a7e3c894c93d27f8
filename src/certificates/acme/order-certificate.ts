import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Certificate } from '#certificates/certificate.ts'
import { challengeName } from '#certificates/dns/challenge-zone.ts'
import type { CertificatePoint } from '#certificates/fail-points.ts'
import { backoff } from '#concurrency/backoff.ts'
import type { AcmeAuthorization, AcmeOrder } from './acme-answers.ts'
import type { AcmeClient, OrderExtras, Waiting } from './acme-client.ts'
import { AcmeProblemError, problemIn } from './acme-problem.ts'
import { certificateRequest, newKey } from './certificate-request.ts'

/** Where answers to challenges are, so that any process of the service can give them. */
export interface ChallengeAnswers {
  put(token: string, answer: string): Promise<void>
  /** A TXT record. */
  putDns(name: string, value: string): Promise<void>
}

interface OrderContext {
  readonly client: AcmeClient
  readonly at: (point: CertificatePoint) => unknown
  readonly answers: ChallengeAnswers
  /** Called before each order that the authority's limits count: not those that replace a certificate. What it throws ends the order. */
  readonly beforeCounted: () => Promise<void>
  readonly signal: AbortSignal
}

const pollMs = backoff({ min: 500, max: 5_000, jitter: 0.2 })
const retryAfterMsMax = 30_000
/** RFC 8555 §8.1: a token is base64url. */
const tokenForm = /^[A-Za-z0-9_-]{8,256}$/

/**
 * Gets a certificate for a name, proven by http-01, or for a wildcard, proven by dns-01. Throws AcmeProblemError for what the authority refuses, and the signal's reason
 * when it is aborted.
 */
export async function orderCertificate(
  name: string,
  extras: OrderExtras,
  context: OrderContext,
): Promise<Certificate> {
  const { at, client } = context
  const order = await placeOrder(name, extras, context)
  await at('certificate-ordered')
  for (const url of order.authorizations) await prove(name, url, context)
  await at('certificate-name-proven')
  const ready = await until(context, () => client.order(order.url), isReady)
  const key = newKey()
  const finalized = await client.finalize(ready, certificateRequest([name], key))
  await at('certificate-finalized')
  const done = await until(context, () => client.order(finalized.url), isDone)
  if (done.certificate === undefined) throw problemOf(done.error)
  const chain = await client.certificate(done.certificate)
  await at('certificate-downloaded')
  return { chain, key }
}

/** What an authority says of the order as a whole, not of the certificate that it replaces. */
const ofTheOrder = new Set(['rateLimited', 'serverInternal', 'userActionRequired'])

async function placeOrder(
  name: string,
  extras: OrderExtras,
  { beforeCounted, client }: OrderContext,
): Promise<AcmeOrder> {
  if (extras.replaces === undefined) await beforeCounted()
  try {
    return await client.newOrder([name], extras)
  } catch (error) {
    const { replaces, ...others } = extras
    const isRefusal = error instanceof AcmeProblemError && !ofTheOrder.has(error.type)
    if (replaces === undefined || !isRefusal) throw error
    // Such as `alreadyReplaced`: by an order that came to nothing here.
    await beforeCounted()
    return await client.newOrder([name], others)
  }
}

const isReady = ({ status }: AcmeOrder): boolean => status !== 'pending'
const isDone = ({ status }: AcmeOrder): boolean => status === 'valid' || status === 'invalid'
const isJudged = ({ status }: AcmeAuthorization): boolean => status !== 'pending'

/** How we prove that a name is ours: a wildcard only by its DNS. */
export const methodOf = (name: string): 'http-01' | 'dns-01' =>
  name.startsWith('*.') ? 'dns-01' : 'http-01'

async function prove(name: string, url: string, context: OrderContext): Promise<void> {
  const { answers, at, client } = context
  const method = methodOf(name)
  const { value: authorization } = await client.authorization(url)
  if (authorization.status === 'valid') return
  const challenge = authorization.challenges.find(({ type }) => type === method)
  const token = challenge?.token ?? ''
  if (challenge === undefined || !tokenForm.test(token)) {
    throw new AcmeProblemError('unsupported', `the authority offers no ${method} challenge`)
  }
  const answer = client.keyAuthorization(token)
  if (method === 'http-01') await answers.put(token, answer)
  else
    await answers.putDns(
      challengeName(name),
      createHash('sha256').update(answer).digest('base64url'),
    )
  await at('certificate-answer-stored')
  await client.accept(challenge.url)
  const judged = await until(context, () => client.authorization(url), isJudged)
  if (judged.status === 'valid') return
  throw problemOf(judged.challenges.find(({ type }) => type === method)?.error)
}

const problemOf = (error: unknown): AcmeProblemError =>
  problemIn(error) ?? new AcmeProblemError('invalid', 'the authority does not say why')

async function until<T>(
  { signal }: OrderContext,
  ask: () => Promise<Waiting<T>>,
  isOver: (value: T) => boolean,
): Promise<T> {
  for (let polls = 0; ; polls++) {
    const { value, retryAfterMs } = await ask()
    if (isOver(value)) return value
    const ms = Math.min(retryAfterMs ?? 0, retryAfterMsMax) || pollMs(polls)
    await setTimeout(ms, undefined, { signal })
  }
}
