import type { Hosting } from '#api/operations.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import type { Config } from '#main/config/config.ts'
import { type ChangedIdentities, identityForgetter } from '#main/follow-identities.ts'
import { type IngestThread, startIngest } from '#main/start-ingest.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findInstanceWith } from '#store/instances.ts'
import { LocalHosting } from './local-hosting.ts'
import { RemoteHosting } from './remote-hosting.ts'

/** The part that follows the network and answers visitors, as the application uses it. */
interface HostingPart {
  readonly hosting: Hosting
  /** Without numbers and work while it is in another process. */
  readonly ingest: Pick<IngestThread, 'background' | 'numbers' | 'started'>
  readonly sync: (did: Did) => Promise<AccountSync>
  /** The identities of these accounts were changed. */
  readonly forget: (changed: ChangedIdentities) => void
  readonly endMinute: () => void
}

type HostingOptions = Parameters<typeof startIngest>[0] &
  Omit<ConstructorParameters<typeof LocalHosting>[0], 'ingest'> & {
    readonly config: Config
    readonly db: Db
    readonly identities: Pick<Identities, 'forget' | 'forgetAll' | 'forgetWhere'>
    readonly log: Log
    /** Requests are answered until then. */
    readonly over: AbortSignal
  }

/** Starts the hosting part, unless it is in another process (HOSTING_URL). */
export function openHosting(options: HostingOptions, opened: AsyncDisposableStack): HostingPart {
  const { config, identities, log, over } = options
  if (config.hostingAt !== null) {
    const { token, url } = config.hostingAt
    const findUrl = async () =>
      url ?? (await findInstanceWith(options.db, 'ingest'))?.address ?? null
    const hosting = new RemoteHosting({ findUrl, token, log, signal: over })
    return {
      hosting,
      ingest: { background: Promise.resolve(), numbers: null, started: Promise.resolve() },
      sync: (did) => hosting.sync(did),
      forget: identityForgetter(identities),
      endMinute: () => undefined,
    }
  }
  const ingest = opened.use(startIngest(options))
  const hosting = new LocalHosting({ ...options, ingest })
  const forgetHere = identityForgetter(identities)
  return {
    hosting,
    ingest,
    sync: (did) => ingest.sync(did),
    forget: (changed) => {
      forgetHere(changed)
      ingest.forget(changed)
    },
    endMinute: () => hosting.endMinute(),
  }
}
