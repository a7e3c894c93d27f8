import type { Registrations } from '#api/routes/registrations.ts'
import type { KeyRing } from '#api/session/key-ring.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import type { TrustedProxies } from '#http/client-address.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import type { Log } from '#observe/log.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import type { AtFailPoint } from '#publish/fail-points.ts'
import type { Spool } from '#publish/upload/spool.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import type { Hints } from '#store/database/hints.ts'
import type { Shutdown } from './shutdown.ts'

/** What the routes of the application stand on. */
export interface ApiContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly oauth: OAuth
  readonly identities: Identities
  readonly spool: Spool
  readonly limits: SiteLimits
  readonly keys: KeyRing
  /** Origin of `BASE_URL`. */
  readonly origin: string
  readonly trustedProxies: TrustedProxies
  /** Reads the account's sites from its server, now. */
  readonly syncAccount: (did: Did) => Promise<AccountSync>
  /** What claimed names end in. */
  readonly baseDomain: string
  /** What nobody may claim beside what nobody may anywhere (`RESERVED_NAMES`). */
  readonly reservedNames: ReadonlySet<string>
  /** Of an account. */
  readonly subdomainsMax: number
  readonly lookUp: LookUp
  readonly registrations: Pick<Registrations, 'find'>
  readonly siteUrl: (address: SiteAddress) => string
  readonly now: () => number
  /** Milliseconds from some moment on, whatever becomes of the clock: for limits and pauses. */
  readonly elapsed: () => number
  /** Of what one request does at the account's server, as a whole; left out: `operationMsMax`. */
  readonly operationMsMax?: number
  readonly at: AtFailPoint
  readonly shutdown: Shutdown
  /** Rejects when the service cannot do its work now. */
  readonly assertReady: () => Promise<void>
}
