import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'

/** The tables of `store/queues/deploys`, which the rules of `Schema` hold for. */
export interface DeployTables {
  deploys: {
    /** Also of its job, and the name of its folder in the spool. */
    id: string
    did: Did
    /** The site's name. */
    site: SiteName
    /** What the site becomes; a string of `publish`'s making. */
    plan: string
    /** Of the whole site afterwards. */
    bytes: number
    createdAt: number
    expiresAt: number
    /** When it became a job; null: it is open. */
    committedAt: number | null
  }
  /** Contents that the account has to send. */
  deployFiles: {
    deployId: string
    sha256: string
    bytes: number
    /** Null: it has not arrived. */
    pack: string | null
    offset: number | null
  }
}
