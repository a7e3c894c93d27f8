import type { SignInPolicy } from '#admin/invitations.ts'
import type { KeyRing } from '#api/session/key-ring.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { OAuth } from '#atproto/oauth/oauth.ts'
import type { Seal } from '#atproto/oauth/seal.ts'
import type { CertificateStates } from '#certificates/certificate-states.ts'
import type { RequestServer, TrustedProxies } from '#http/client-address.ts'
import type { ForgetPoint } from '#ingest/fail-points.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import type { Tally } from '#observe/tally.ts'
import type { LookUp } from '#outbound/dns/look-up.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import type { OpenDeploys } from '#publish/deploy/open-deploys.ts'
import type { FailPoint } from '#publish/fail-points.ts'
import type { JobContext } from '#publish/jobs/job-context.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { Namespace } from '#site/namespace.ts'
import type { PageErrorLabel } from '#site/page-errors.ts'
import type { Did, SiteAddress } from '#site/site-address.ts'
import type { Operations } from './operations.ts'
import type { Registrations } from './routes/domains/registrations.ts'

/** The stages of a shutdown. */
export interface Shutdown {
  /** Aborted at the beginning: nothing that takes long starts any more. */
  readonly begun: AbortSignal
  /** Aborted shortly before the end: uploads that are still arriving get an answer now. */
  readonly lastCall: AbortSignal
}

/** The routes' dependencies; they include the ones of jobs, which routes create and cancel. */
export interface ApiContext extends Omit<JobContext, 'at' | 'slowAfterMs' | 'jobMsMax'> {
  readonly oauth: OAuth
  readonly identities: Identities
  /** For accounts that are just signing in: their look-ups take no permits of those that are signed in. */
  readonly signInIdentities: Pick<Identities, 'resolve' | 'verifiedHandle'>
  readonly at: (point: FailPoint | ForgetPoint) => void
  readonly deploys: OpenDeploys
  readonly limits: SiteLimits
  /** Other networks whose sites are served, too. Left out: none. */
  readonly alsoServe?: readonly Namespace[]
  /** What visitors may take on a day; null: no limit. */
  readonly shares: Readonly<Record<'site' | 'account', { readonly bytesPerDayMax: number | null }>>
  readonly keys: KeyRing
  /** Origin of `BASE_URL`. */
  readonly origin: string
  readonly trustedProxies: TrustedProxies
  /** The address of a label below the base domain, with a slash at the end. */
  readonly labelUrl: (label: string) => string
  /** Reads the account's sites from its server. */
  readonly syncAccount: (did: Did) => Promise<AccountSync>
  /** Subdomains end in it. */
  readonly baseDomain: string
  /** `RESERVED_NAMES`, which nobody can claim. */
  readonly reservedNames: ReadonlySet<string>
  /** Per account. */
  readonly subdomainsMax: number
  readonly lookUp: LookUp
  /** For the issuers of CI jobs, which users name. */
  readonly fetchIssuer: SafeFetch
  /** Development only: such hosts may be private, and without https. */
  readonly allowPrivateHosts: boolean
  /** The site that visitors of this address get here, taken down or not; null: none. */
  readonly siteAt: (url: string) => Promise<SiteAddress | null>
  /** Of the secrets with which deliveries to webhooks are signed. */
  readonly webhookSeal: Seal
  /** Who may sign in. */
  readonly signIn: SignInPolicy
  readonly registrations: Pick<Registrations, 'find'>
  /** Monotonic milliseconds, for limits and pauses. */
  readonly elapsed: () => number
  /** Time limit for all calls of one request to the account's server; left out: the default of `withinTime`. */
  readonly operationMsMax?: number
  /** Between two readings of a log that an administrator follows. */
  readonly logPollMs?: number
  readonly operations: Operations
  /** Null: not this service keeps certificates, but its TLS front. */
  readonly certificates: Pick<CertificateStates, 'of' | 'totals'> | null
  readonly shutdown: Shutdown
  readonly pageErrors: Pick<Tally<PageErrorLabel>, 'add'>
  /** For Prometheus; null: nobody scrapes here. */
  readonly metrics: { readonly token: string; readonly text: () => Promise<string> } | null
  /** The parts that are not ready, each with a sentence for anybody and an error for the log. */
  readonly unready: () => Promise<readonly { readonly problem: string; readonly error: unknown }[]>
}

/** Hono's types for a request's bindings and variables. */
export interface ApiEnv {
  readonly Bindings: { readonly server?: RequestServer }
  readonly Variables: {
    /** Fields of a failure in addition to `error`. */
    readonly failureFields: { readonly success?: false } | undefined
    /** Of the script and of the styles in the document itself, as its content security policy names them. */
    readonly scriptHash: string | undefined
    readonly styleHash: string | undefined
    /** The page that says it to a person, in place of JSON. */
    readonly failurePage: ((status: number, sentence: string) => string) | undefined
  }
}
