import type { Generated } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'

/** What a visitor of a site that is taken down gets. */
export type TakedownStatus = 451 | 404

export type ReportKind = 'phishing' | 'malware' | 'copyright' | 'illegal' | 'other'

/** The tables of `store/moderation`, which the rules of `Schema` hold for. */
export interface ModerationTables {
  takedowns: {
    did: Did
    /** Empty: the whole account. */
    site: SiteName | ''
    /** Of the site; null: the whole account. */
    label: string | null
    status: TakedownStatus
    /** Its owner reads it too. */
    reason: string
    actor: string
    at: number
  }
  auditEntries: {
    id: Generated<number>
    at: number
    /** The administrator's name, or `cli:` and the user of the operating system. */
    actor: string
    action: string
    /** What it was done to: `did/rkey`, a host, the id of a job. */
    subject: string
    reason: string
    /** A JSON object. */
    details: string
  }
  reports: {
    id: Generated<number>
    at: number
    /** When it came last, and how often. */
    lastAt: number
    times: number
    /** As the visitor gave it. */
    url: string
    did: Did
    site: SiteName
    kind: ReportKind
    text: string
    contact: string | null
    /** Of the visitor's network, with a key; null once it is handled. */
    networkHash: string | null
    state: 'open' | 'handled'
    handledBy: string | null
    handledAt: number | null
    outcome: string | null
  }
  /** Null: the default of the setting. */
  accountLimits: {
    did: Did
    sitesMax: number | null
    bytesMax: number | null
    uploadsPerDayMax: number | null
  }
  invitations: {
    codeHash: string
    createdBy: string
    createdAt: number
    expiresAt: number
    usedBy: Did | null
    usedAt: number | null
  }
  allowedAccounts: {
    /** A DID, or a handle in lower case. */
    account: string
    addedBy: string
    at: number
  }
}
