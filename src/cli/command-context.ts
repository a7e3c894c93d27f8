import type { Identities } from '#atproto/identity/identity.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { SavedAccounts } from './account/saved-accounts.ts'
import type { Console } from './console.ts'

/** Who signs in without a browser: `SITEHOST_HANDLE` and `SITEHOST_APP_PASSWORD`. */
export interface Credentials {
  readonly handle: string | undefined
  readonly appPassword: string | undefined
}

/** How a Sitehost is asked, by the environment. */
export interface InstanceSettings {
  readonly url: string | undefined
  /** A deploy token. */
  readonly token: string | undefined
  /** The OpenID Connect token of a CI job, and where the job gets it. */
  readonly idToken: string | undefined
  readonly idTokenRequest: { readonly url: string; readonly token: string } | null
  /** The owner of the site that a job deploys. */
  readonly owner: string | undefined
}

/** What the commands for site owners use of the outside. */
export interface CommandContext {
  readonly credentials: Credentials
  readonly instance: InstanceSettings
  /** The accounts that signed in by the browser. */
  readonly accounts: SavedAccounts
  readonly identities: Pick<
    Identities,
    'actorResolver' | 'didOfHandle' | 'resolve' | 'verifiedHandle'
  >
  readonly fetch: SafeFetch
  /** Account servers over plain http count, too: for development. */
  readonly allowHttp: boolean
  readonly console: Console
  /** What a person edits text with, a line for the shell; undefined: none is named. */
  readonly editor: string | undefined
  readonly limits: SiteLimits
  readonly now: () => number
  readonly signal: AbortSignal
}

/** Options of every command that acts for an account. */
export interface AccountOptions {
  readonly account?: string
  readonly json?: true
}
