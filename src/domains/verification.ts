import type { DnsAnswer } from '#outbound/dns/look-up.ts'
import type { Did } from '#site/site-address.ts'

/** The result of one look-up for an account's claim to a domain. */
export type Verification =
  | { readonly verified: true }
  | { readonly verified: false; readonly reason: 'no-record' | 'dns-unreachable' }
  | {
      readonly verified: false
      /** `verified-elsewhere`: the account's value is present, but another account holds the domain. */
      readonly reason: 'wrong-owner' | 'verified-elsewhere'
      /** The values found. */
      readonly values: readonly string[]
    }

/** Verified if a TXT value equals the account's DID. */
export function judgeProof(answer: DnsAnswer, did: Did): Verification {
  if (!answer.answered) return { verified: false, reason: 'dns-unreachable' }
  const { values } = answer
  if (values.length === 0) return { verified: false, reason: 'no-record' }
  return values.includes(did)
    ? { verified: true }
    : { verified: false, reason: 'wrong-owner', values }
}
