import { recordEvent } from '#observe/events.ts'
import type { Log } from '#observe/log.ts'
import type { DnsAnswer, LookUp } from '#outbound/dns/look-up.ts'
import { domainMissesMax, domainMissingMsMin } from '#site/limits.ts'
import type { Db } from '#store/database/database.ts'
import type { WakeUps } from '#store/database/wake-ups.ts'
import { type CustomDomainChange, changeCustomDomain } from '#store/names/change-custom-domain.ts'
import { type ConfirmOutcome, confirmCustomDomain } from '#store/names/confirm-custom-domain.ts'
import type { CustomDomain } from '#store/names/custom-domains.ts'
import { type DnsRecords, dnsRecordsFor } from './dns-records.ts'
import {
  lossSentence,
  missSentence,
  pointingSentence,
  verificationSentence,
} from './domain-sentences.ts'
import { lookUpPointing, type Pointing } from './pointing.ts'
import { judgeProof, type Verification } from './verification.ts'

export interface VerifyContext {
  readonly db: Db
  readonly wakeUps: WakeUps
  readonly log: Log
  readonly lookUp: LookUp
  readonly baseDomain: string
  readonly now: () => number
  /** From 0 to below 1: spreads the checks over the day. */
  readonly random?: () => number
}

const hourMs = 60 * 60 * 1000
const checkEveryMs = 24 * hourMs
const checkSpreadMs = hourMs
/** The longest time between two checks. */
export const checkAfterMsMax = checkEveryMs + checkSpreadMs
/** After a look-up without an answer. */
const retryMs = hourMs

/**
 * Looks the domain up and stores the result: verified, a miss of a verified domain (too many lose it), or no change.
 * Returns the result of this look-up; null: the domain was deleted.
 */
export async function verifyDomain(
  domain: CustomDomain,
  context: VerifyContext,
): Promise<Verification | null> {
  const { wakeUps, log, lookUp, now } = context
  const records = dnsRecordsFor(domain, context.baseDomain)
  const lookedUpAt = now()
  const [proof, pointing] = await Promise.all([
    lookUp('TXT', records.txt.name),
    lookUpPointing(records, lookUp),
  ])
  const finding: Finding = { domain, records, lookedUpAt, proof, pointing }
  const verification = await storeFinding(finding, context)
  wakeUps.notify('changes')
  const { did, domain: name } = domain
  const subject = { did, host: name }
  if (verification === null || domain.verified) {
    log.debug('custom domain checked', { ...subject, ...verification })
  } else if (verification.verified) recordEvent(log, 'domain_verified', subject)
  else recordEvent(log, 'domain_unverified', { ...subject, reason: verification.reason })
  return verification
}

interface Finding {
  readonly domain: CustomDomain
  readonly records: DnsRecords
  readonly lookedUpAt: number
  readonly proof: DnsAnswer
  readonly pointing: Pointing
}

async function storeFinding(
  finding: Finding,
  context: VerifyContext,
): Promise<Verification | null> {
  const verification = judgeProof(finding.proof, finding.domain.did)
  if (!verification.verified) return await storeFailure(finding, verification, context)
  const values = finding.proof.answered ? finding.proof.values : []
  switch (await storeProof(finding, values, context)) {
    case 'confirmed':
      return verification
    case 'held-by-another': {
      const held = { verified: false, reason: 'verified-elsewhere', values } as const
      return await storeFailure(finding, held, context)
    }
    case null:
      return null
  }
}

function storeProof(
  { domain, records, lookedUpAt, pointing }: Finding,
  values: readonly string[],
  { db, baseDomain, now, random }: VerifyContext,
): Promise<ConfirmOutcome | null> {
  const at = now()
  return confirmCustomDomain(
    db,
    domain,
    { values, lookedUpAt },
    {
      change: {
        checkedAt: at,
        nextCheckAt: nextCheckAfter(at, random),
        ownershipWarning: null,
        pointingWarning: pointingSentence(pointing, records),
      },
      lossWarning: (holder) =>
        lossSentence('verified-elsewhere', dnsRecordsFor(holder, baseDomain), at),
      now: at,
    },
  )
}

type Failure = Extract<Verification, { readonly verified: false }>

async function storeFailure(
  finding: Finding,
  failure: Failure,
  { db, log, now, random }: VerifyContext,
): Promise<Failure | null> {
  const { domain } = finding
  const at = now()
  const nextCheckAt = nextCheckAfter(at, random)
  const after = await changeCustomDomain(
    db,
    domain,
    (current) => ({ nextCheckAt, ...afterFailure(current, finding, failure, at) }),
    at,
  )
  if (domain.verified && after?.verified === false) {
    const { did, domain: host } = domain
    recordEvent(log, 'domain_lost', { did, host, reason: failure.reason })
  }
  return after && failure
}

type Change = CustomDomainChange & { readonly verified?: false }

function afterFailure(
  current: CustomDomain,
  { records, lookedUpAt, pointing }: Finding,
  failure: Failure,
  at: number,
): Change {
  // Neither no answer nor an answer older than the proof counts as a miss.
  if (failure.reason === 'dns-unreachable') return { nextCheckAt: at + retryMs }
  if (current.verified && lookedUpAt <= (current.confirmedAt ?? 0)) return {}
  const pointingWarning = pointingSentence(pointing, records)
  const ownership = current.verified
    ? afterMiss(current, records, at)
    : { ownershipWarning: verificationSentence(failure, records) }
  return { checkedAt: at, pointingWarning, ...ownership }
}

/** A day later, plus or minus an hour. */
function nextCheckAfter(at: number, random = Math.random): number {
  return at + checkEveryMs - checkSpreadMs + Math.floor(random() * 2 * checkSpreadMs)
}

/** The change to a verified domain whose look-up did not contain its proof. */
function afterMiss(domain: CustomDomain, records: DnsRecords, now: number): Change {
  const misses = domain.misses + 1
  const missingSince = domain.missingSince ?? now
  if (misses >= domainMissesMax && now - missingSince >= domainMissingMsMin) {
    const ownershipWarning = lossSentence('missing', records, now)
    return { verified: false, misses: 0, missingSince: null, ownershipWarning }
  }
  const ownershipWarning = missSentence({ misses, missingSince }, records)
  return { misses, missingSince, ownershipWarning }
}
