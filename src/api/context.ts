import type { Registrations } from '#api/routes/registrations.ts'
import type { KeyRing } from '#api/session/key-ring.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import type { TrustedProxies } from '#http/client-address.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import type { JobContext } from '#publish/jobs/job-context.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { Did } from '#site/site-address.ts'
import type { Shutdown } from './shutdown.ts'

/** The routes' dependencies: those of jobs, which they create and cancel, and more. */
export interface ApiContext extends Omit<JobContext, 'blobs' | 'slowAfterMs' | 'jobMsMax'> {
  readonly oauth: OAuth
  readonly identities: Identities
  readonly limits: SiteLimits
  readonly keys: KeyRing
  /** Origin of `BASE_URL`. */
  readonly origin: string
  readonly trustedProxies: TrustedProxies
  /** Reads the account's sites from its server, now. */
  readonly syncAccount: (did: Did) => Promise<AccountSync>
  /** What claimed names end in. */
  readonly baseDomain: string
  /** `RESERVED_NAMES`, which nobody can claim. */
  readonly reservedNames: ReadonlySet<string>
  /** Of an account. */
  readonly subdomainsMax: number
  readonly lookUp: LookUp
  readonly registrations: Pick<Registrations, 'find'>
  /** Milliseconds from some moment on, whatever becomes of the clock: for limits and pauses. */
  readonly elapsed: () => number
  /** Of what one request does at the account's server, as a whole; left out: `operationMsMax`. */
  readonly operationMsMax?: number
  readonly shutdown: Shutdown
  /** Rejects when the service cannot do its work now. */
  readonly assertReady: () => Promise<void>
}
