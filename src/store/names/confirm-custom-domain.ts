import type { Db } from '#store/database/database.ts'
import { appendDomainEvent } from './append-domain-event.ts'
import {
  type CustomDomainChange,
  updateCustomDomain,
  withCustomDomain,
} from './change-custom-domain.ts'
import { type CustomDomain, type CustomDomainKey, findRegisteredDomain } from './custom-domains.ts'
import { tellEdge, tellNames } from './tell-names.ts'

/** What a look-up has found. */
export interface Proof {
  /** All TXT values at the domain's name for proofs, the account's DID among them. */
  readonly values: readonly string[]
  readonly lookedUpAt: number
}

export type ConfirmOutcome = 'confirmed' | 'held-by-another'

interface ConfirmOptions {
  /** Changes made together with the confirmation. */
  readonly change: CustomDomainChange
  /** The warning for an account that loses the domain. */
  readonly lossWarning: (holder: CustomDomain) => string
  readonly now: number
}

/**
 * Makes the domain verified. Another account that holds it loses it if its DID is not among the values, unless this
 * look-up began before that account's last confirmation. Only one account holds the domain, however many confirm it
 * concurrently. Null: the domain no longer exists.
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
      await appendDomainEvent(transaction, 'domain.lost', { ...loser, ...lost }, now)
    }
    const confirmed = { ...change, ...noMisses, verified: true, confirmedAt: proof.lookedUpAt }
    if ((await updateCustomDomain(transaction, domain.id, confirmed, now)) === null) return null
    if (loser?.isPrimary && loser.site !== null) {
      await tellNames(transaction, { did: loser.did, name: loser.site }, now)
    }
    if (!domain.verified) {
      await appendDomainEvent(
        transaction,
        'domain.verified',
        { ...domain, ownershipWarning: null },
        now,
      )
      await tellEdge(transaction, domain, now)
    }
    return 'confirmed'
  })
}

const noMisses = { misses: 0, missingSince: null }

const isOverruled = ({ did, confirmedAt }: CustomDomain, { values, lookedUpAt }: Proof): boolean =>
  !values.includes(did) && lookedUpAt > (confirmedAt ?? 0)
