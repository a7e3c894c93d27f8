import type { Db } from '#store/database/database.ts'
import {
  type CustomDomainChange,
  tellEdge,
  updateCustomDomain,
  withCustomDomain,
} from './change-custom-domain.ts'
import { type CustomDomain, type CustomDomainKey, findRegisteredDomain } from './custom-domains.ts'
import { tellNames } from './tell-names.ts'

/** What a look-up has found. */
export interface Proof {
  /** Everything that is said at the domain's name for proofs; the account's DID is among it. */
  readonly values: readonly string[]
  readonly lookedUpAt: number
}

export type ConfirmOutcome = 'confirmed' | 'held-by-another'

interface ConfirmOptions {
  /** What else changes. */
  readonly change: CustomDomainChange
  /** The warning for an account that loses the domain by this. */
  readonly lossWarning: (holder: CustomDomain) => string
  readonly now: number
}

/**
 * Makes the domain its account's. Another account that has it loses it, if its DID is not among the values;
 * but not by a look-up that began before the one which confirmed that account last. However many ask at
 * once, one account has the domain. Null: no such domain any more.
 */
export function confirmCustomDomain(
  db: Db,
  key: CustomDomainKey,
  proof: Proof,
  { change, lossWarning, now }: ConfirmOptions,
): Promise<ConfirmOutcome | null> {
  return withCustomDomain(db, key, async (transaction, domain) => {
    const holder = await findRegisteredDomain(transaction, domain.domain)
    const loser = holder?.verified && holder.id !== domain.id ? holder : null
    if (loser !== null) {
      if (!isOverruled(loser, proof)) return 'held-by-another'
      const lost = { ...noMisses, verified: false, ownershipWarning: lossWarning(loser) }
      await updateCustomDomain(transaction, loser.id, lost, now)
    }
    const confirmed = { ...change, ...noMisses, verified: true, confirmedAt: proof.lookedUpAt }
    if ((await updateCustomDomain(transaction, domain.id, confirmed, now)) === null) return null
    if (loser?.isPrimary && loser.site !== null) {
      await tellNames(transaction, { did: loser.did, name: loser.site }, now)
    }
    if (!domain.verified) await tellEdge(transaction, domain, now)
    return 'confirmed'
  })
}

const noMisses = { misses: 0, missingSince: null }

const isOverruled = ({ did, confirmedAt }: CustomDomain, { values, lookedUpAt }: Proof): boolean =>
  !values.includes(did) && lookedUpAt > (confirmedAt ?? 0)
