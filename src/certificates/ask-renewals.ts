import { X509Certificate } from 'node:crypto'
import type { Seal } from '#atproto/oauth/seal.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import type { Log } from '#observe/log.ts'
import {
  type RenewalQuestion,
  saveRenewalQuestion,
  saveRenewalTime,
  takeRenewalQuestions,
} from '#store/certificates/renewal-info.ts'
import type { Db } from '#store/database/database.ts'
import type { AcmeClient } from './acme/acme-client.ts'
import { certificateId } from './acme/certificate-id.ts'
import { type Authority, openClient } from './authority.ts'
import { renewalTime } from './renewal-time.ts'

interface AskContext {
  readonly authorities: readonly Authority[]
  readonly db: Db
  readonly log: Log
  readonly seal: Seal
  readonly now: () => number
  readonly signal: AbortSignal
}

const questionsAtOnceMax = 4
/** In one call. */
export const questionsMax = 32
const leaseMs = 5 * 60_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** RFC 9773 §4.3.3: where the authority does not say when to ask again, or does not answer. */
const askAgainMs = 6 * hourMs
const askAgainMsMax = 24 * hourMs

/**
 * Asks authorities when they want certificates renewed (RFC 9773), earlier than usual when they have to revoke them. Returns how many
 * it asked for, at most `questionsMax`.
 */
export async function askRenewals(context: AskContext): Promise<number> {
  const { db, now, signal } = context
  const taken = await takeRenewalQuestions(db, { now: now(), leaseMs, limit: questionsMax })
  const clients = new Map<string, AcmeClient>()
  for (const authority of context.authorities) {
    const isAsked = taken.some(({ issuedBy }) => issuedBy === authority.directory)
    if (isAsked) clients.set(authority.directory, await openClient(authority, context))
  }
  await mapAtOnce(taken, { atOnce: questionsAtOnceMax, signal }, (each) =>
    askOne(each, clients.get(each.issuedBy), context),
  )
  return taken.length
}

/** `client`: of the authority that issued it; undefined: it is no longer ours. */
async function askOne(
  question: RenewalQuestion,
  client: AcmeClient | undefined,
  { db, log, now, signal }: AskContext,
): Promise<void> {
  const { chain, changedAt, issuedBy, name } = question
  const id = certificateId(chain)
  // It is renewed by time.
  if (client === undefined || id === null) return await saveRenewalQuestion(db, name, null)
  let againMs = askAgainMs
  try {
    const answer = await client.renewalInfo(id)
    if (answer === null) return await saveRenewalQuestion(db, name, null)
    againMs = Math.min(Math.max(answer.retryAfterMs ?? askAgainMs, minuteMs), askAgainMsMax)
    const { validFrom, validTo } = new X509Certificate(chain)
    const renewed = {
      id,
      changedAt,
      validFrom: Date.parse(validFrom),
      validUntil: Date.parse(validTo),
    }
    await saveRenewalTime(db, question, renewalTime(answer.value, renewed, now()))
  } catch (error) {
    signal.throwIfAborted()
    log.warn('renewal time not known', { host: name, authority: issuedBy, error })
  }
  await saveRenewalQuestion(db, name, now() + againMs)
}
