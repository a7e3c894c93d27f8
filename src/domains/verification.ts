import type { DnsAnswer } from '#outbound/dns/look-up.ts'
import type { Did } from '#site/site-address.ts'

/** What one look-up says about an account's claim to a domain. */
export type Verification =
  | { readonly verified: true }
  | { readonly verified: false; readonly reason: 'no-record' | 'dns-unreachable' }
  | {
      readonly verified: false
      /** `verified-elsewhere`: the account's value is there, but another account has the domain. */
      readonly reason: 'wrong-owner' | 'verified-elsewhere'
      /** What is there. */
      readonly values: readonly string[]
    }

/** What the DNS answers at the name for proofs must hold the account's DID, as it is. */
export function judgeProof(answer: DnsAnswer, did: Did): Verification {
  if (!answer.answered) return { verified: false, reason: 'dns-unreachable' }
  const { values } = answer
  if (values.length === 0) return { verified: false, reason: 'no-record' }
  return values.includes(did)
    ? { verified: true }
    : { verified: false, reason: 'wrong-owner', values }
}
