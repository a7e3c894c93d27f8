import type { Generated } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'

/** The tables of `store/names`, which the rules of `Schema` hold for. */
export interface NameTables {
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
