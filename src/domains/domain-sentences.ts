import { domainMissesMax, domainMissingMsMin } from '#site/limits.ts'
import type { CustomDomain } from '#store/names/custom-domains.ts'
import type { DnsRecords } from './dns-records.ts'
import { isApex } from './domain-name.ts'
import type { Pointing } from './pointing.ts'
import type { Verification } from './verification.ts'

const quotedMax = 3
const quotedCharsMax = 80

/** The problem and its remedy in one sentence; null if verified. */
export function verificationSentence(
  verification: Verification,
  { txt: { name, value }, cname }: DnsRecords,
): string | null {
  if (verification.verified) return null
  switch (verification.reason) {
    case 'no-record':
      return `There is no TXT record at ${name} yet: add one with the value ${value} (a new record can take a while to be seen).`
    case 'wrong-owner':
      return `The TXT record at ${name} says ${quoted(verification.values)}: add one with the value ${value}.`
    case 'verified-elsewhere':
      return `Another account has verified ${cname.name}: make ${value} the only value of the TXT record at ${name}, which says ${quoted(verification.values)} now, and try again.`
    case 'dns-unreachable':
      return `The name servers for ${name} did not answer: try again in a few minutes, and check the domain’s DNS if that does not help.`
  }
}

/** A warning only: the domain may be behind a proxy or an invisible alias. Null: no warning. */
export function pointingSentence(pointing: Pointing, { cname }: DnsRecords): string | null {
  const { name, target } = cname
  const remedy = isApex(name)
    ? `set an ALIAS or ANAME record for ${name} with the target ${target} (or A and AAAA records with its addresses)`
    : `set a CNAME record for ${name} with the target ${target}`
  switch (pointing.kind) {
    case 'here':
    case 'unknown':
      return null
    case 'nowhere':
      return `${name} points nowhere yet: ${remedy}.`
    case 'elsewhere':
      return `${name} points to ${quoted(pointing.to)}: unless a proxy there passes visitors on, ${remedy}.`
  }
}

/** For the owner of a verified domain whose proof is missing. */
export function missSentence(
  { misses, missingSince }: Pick<CustomDomain, 'misses' | 'missingSince'>,
  { txt: { name, value }, cname }: DnsRecords,
): string {
  const since = missingSince ?? 0
  const end = dayOf(since + domainMissingMsMin)
  return `The TXT record at ${name} has not had the value ${value} since ${dayOf(since)} (${misses} of ${domainMissesMax} look-ups): put it back before ${end}, or ${cname.name} will no longer be served.`
}

/** For the owner of a domain that has just been lost. */
export function lossSentence(
  reason: 'missing' | 'verified-elsewhere',
  { txt: { name, value }, cname }: DnsRecords,
  now: number,
): string {
  const why =
    reason === 'missing'
      ? `the TXT record at ${name} no longer had the value ${value}`
      : `another account’s value took the place of ${value} in the TXT record at ${name}`
  return `${cname.name} has not been served since ${dayOf(now)}, because ${why}: put it back and verify the domain again.`
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** Quotes and limits untrusted DNS values. */
function quoted(values: readonly string[]): string {
  const shown = values.slice(0, quotedMax).map((value) => JSON.stringify(clipped(value)))
  const others = values.length - shown.length
  return others > 0 ? `${shown.join(', ')} and ${others} more` : shown.join(', ')
}

const clipped = (value: string): string =>
  value.length > quotedCharsMax ? `${value.slice(0, quotedCharsMax - 1)}…` : value
