import { createHash } from 'node:crypto'
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
import type { RenewalWindow } from './acme/acme-answers.ts'
import { certificateId } from './acme/certificate-id.ts'
import { type Authority, openClient } from './authority.ts'

interface AskContext {
  readonly authorities: readonly Authority[]
  readonly db: Db
  readonly log: Log
  readonly seal: Seal
  readonly now: () => number
  readonly signal: AbortSignal
}

const questionsAtOnceMax = 4
const batchMax = 32
const leaseMs = 5 * 60_000
const answerMsMax = 60_000
const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** RFC 9773 §4.3.3: where the authority does not say when to ask again, or does not answer. */
const askAgainMs = 6 * hourMs
const askAgainMsMax = 24 * hourMs

/**
 * Asks authorities when they want certificates renewed (RFC 9773), earlier than usual when they have to revoke them. Returns how many
 * it asked for, at most `batchMax`.
 */
export async function askRenewals(context: AskContext): Promise<number> {
  const { db, now, signal } = context
  const taken = await takeRenewalQuestions(db, { now: now(), leaseMs, limit: batchMax })
  await mapAtOnce(taken, { atOnce: questionsAtOnceMax, signal }, (each) => askOne(each, context))
  return taken.length
}

async function askOne(question: RenewalQuestion, context: AskContext): Promise<void> {
  const { authorities, db, log, now, signal } = context
  const { chain, issuedBy, name } = question
  const authority = authorities.find(({ directory }) => directory === issuedBy)
  const id = certificateId(chain)
  // Of an authority that is no longer ours: the certificate is renewed by time.
  if (authority === undefined || id === null) return await saveRenewalQuestion(db, name, null)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(answerMsMax)])
  let againMs = askAgainMs
  try {
    const client = await openClient(authority, { ...context, signal: limit })
    const answer = await client.renewalInfo(id)
    if (answer === null) return await saveRenewalQuestion(db, name, null)
    againMs = Math.min(Math.max(answer.retryAfterMs ?? askAgainMs, minuteMs), askAgainMsMax)
    await saveRenewalTime(db, question, Math.max(timeIn(answer.value, id), now()))
  } catch (error) {
    signal.throwIfAborted()
    log.warn('renewal time not known', { host: name, authority: issuedBy, error })
  }
  await saveRenewalQuestion(db, name, now() + againMs)
}

/** Somewhere in the window, at the same place whenever it is asked for, so that renewals spread over it. */
function timeIn({ end, start }: RenewalWindow, id: string): number {
  const share = createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
  return Math.round(start + Math.max(end - start, 0) * share)
}
