import type { Generated } from 'kysely'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'

/** What a deploy token may do. */
export type TokenScope = 'deploy' | 'preview'

/** The tables of `store/queues/deploys`, which the rules of `Schema` hold for. */
export interface DeployTables {
  deploys: {
    /** Also of its job, and the name of its folder in the spool. */
    id: string
    did: Did
    /** The site's name. */
    site: SiteName
    /** Whose spool has its files; empty: of the only one. */
    instance: Generated<string>
    /** What the site becomes; a string of `publish`'s making. */
    plan: string
    /** Of the whole site afterwards. */
    bytes: number
    createdAt: number
    expiresAt: number
    /** When it became a job; null: it is open. */
    committedAt: number | null
    /** Nothing of it goes live. */
    isPreview: Generated<0 | 1>
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
  /** With which programs deploy a site. */
  deployTokens: {
    id: string
    /** SHA-256 of the token, in hex. */
    hash: string
    did: Did
    /** The site's name. */
    site: SiteName
    /** As its owner called it. */
    name: string
    scope: TokenScope
    /** Of the session that made it: the account's server and signing key. */
    authority: string | null
    createdAt: number
    expiresAt: number
    usedAt: number | null
    /** Null: it has not ended before its time. `signed-out`: with the account's sessions. */
    endedBy: 'revoked' | 'signed-out' | null
    /** Whose job got it in exchange; null: the owner made it. */
    publisherId: string | null
  }
  /** Whose jobs may deploy a site. */
  publishers: {
    id: string
    did: Did
    /** The site's name. */
    site: SiteName
    /** The URL of the forge, as its tokens name it. */
    issuer: string
    repository: string
    /** The forge's own id of it; null: no job has been here. */
    repositoryId: string | null
    /** Such as `refs/heads/main`; null: any. */
    ref: string | null
    /** Null: any. */
    environment: string | null
    scope: TokenScope
    /** Of the session that made it. */
    authority: string | null
    createdAt: number
    usedAt: number | null
  }
  /** Tokens of forges, which work once. */
  usedIdTokens: {
    /** SHA-256 of what the issuer signed. */
    hash: string
    expiresAt: number
  }
}
