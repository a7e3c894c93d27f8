import type { Generated } from 'kysely'
import type { CertificateProblem } from '#site/certificate-state.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'

/** The tables of `store/names`, which the rules of `Schema` hold for. */
export interface NameTables {
  certificates: {
    /** A host. */
    name: string
    /** 0: it leads nowhere now, and is not renewed. */
    isWanted: 0 | 1
    /** PEM; null until it was issued for the first time. */
    chain: Generated<string | null>
    sealedKey: Generated<string | null>
    validUntil: Generated<number | null>
    renewAt: Generated<number | null>
    /** When it is ordered, for the first time or again; while it is being ordered, when it would be taken again. */
    dueAt: number
    /** How many orders have failed since it was issued. */
    failures: Generated<number>
    /** How often in a row the DNS was in the way, so that no authority was asked. */
    dnsFailures: Generated<number>
    /** Null: the last order succeeded, or there was none. */
    lastProblem: Generated<CertificateProblem | null>
    /** The authority's words, or the DNS record in the way. */
    lastError: Generated<string | null>
    /** URL of the directory of the authority that issued it; null: none did, or it is not known. */
    issuedBy: Generated<string | null>
    /** When that authority is asked whether it wants it renewed; null: never. */
    renewalInfoAt: Generated<number | null>
    /** When it was issued; 0: never. */
    changedAt: number
  }
  acmeAccounts: {
    /** URL of the authority's directory. */
    directory: string
    sealedKey: string
    /** When all orders that were taken are refilled. */
    ordersSpentUntil: number
  }
  acmeChallenges: {
    token: string
    answer: string
    expiresAt: number
  }
  subdomains: {
    /** With the base domain. */
    domain: string
    did: Did
    /** The name of the site it leads to; null: unmapped. */
    site: SiteName | null
    isPrimary: Generated<0 | 1>
    createdAt: number
    updatedAt: number
  }
  keptSubdomains: {
    /** With the base domain. */
    domain: string
    /** Of the DID of its last owner, whose account may be deleted. */
    didHash: string
    releasedAt: number
  }
  customDomains: {
    id: string
    did: Did
    /** In A-labels, lower case. */
    domain: string
    verified: 0 | 1
    /** The name of the site it leads to; null: unmapped. */
    site: SiteName | null
    isPrimary: Generated<0 | 1>
    /** When the look-up began that last found the owner's proof. */
    confirmedAt: number | null
    /** When a look-up was last answered. */
    checkedAt: number | null
    nextCheckAt: number
    /** How many look-ups in a row did not find the proof, and since when. */
    misses: number
    missingSince: number | null
    /** Sentences for the owner. */
    ownershipWarning: string | null
    pointingWarning: string | null
    createdAt: number
    updatedAt: number
  }
}
