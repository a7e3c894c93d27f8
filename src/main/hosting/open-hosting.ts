import type { Hosting } from '#api/operations.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { AccountSync } from '#ingest/sync-account.ts'
import type { Config } from '#main/config/config.ts'
import { type IngestThread, startIngest } from '#main/start-ingest.ts'
import type { Log } from '#observe/log.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findInstanceWith } from '#store/instances.ts'
import { followIdentityChanges } from './follow-identity-changes.ts'
import { IdentityChanges, type SeenChanges } from './identity-changes.ts'
import { LocalHosting } from './local-hosting.ts'
import { RemoteHosting } from './remote-hosting.ts'

/** The part that follows the network and answers visitors, as the application uses it. */
interface HostingPart {
  readonly hosting: Hosting
  /** Without numbers and work while it is in another process. */
  readonly ingest: Pick<IngestThread, 'background' | 'numbers' | 'started'>
  readonly sync: (did: Did) => Promise<AccountSync>
  /** Those that this process has learned of. */
  readonly identityChanges: IdentityChanges
  /** Learns of those of the other process, if there is one, until the signal aborts. */
  readonly followIdentities: () => Promise<void>
  readonly endMinute: () => void
}

type HostingOptions = Parameters<typeof startIngest>[0] &
  Omit<ConstructorParameters<typeof LocalHosting>[0], 'ingest'> & {
    readonly config: Config
    readonly db: Db
    readonly identities: Pick<Identities, 'forget' | 'forgetAll'>
    readonly log: Log
    /** Requests are answered until then. */
    readonly over: AbortSignal
  }

/** Starts the hosting part, unless it is in another process (HOSTING_URL). */
export function openHosting(options: HostingOptions, opened: AsyncDisposableStack): HostingPart {
  const { config, identities, log, over, signal } = options
  const identityChanges = new IdentityChanges()
  if (config.hostingAt !== null) {
    const { token, url } = config.hostingAt
    const findUrl = async () =>
      url ?? (await findInstanceWith(options.db, 'ingest'))?.address ?? null
    const hosting = new RemoteHosting({ findUrl, token, log, signal: over })
    return {
      hosting,
      ingest: { background: Promise.resolve(), numbers: null, started: Promise.resolve() },
      sync: (did) => hosting.sync(did),
      identityChanges,
      followIdentities: () => {
        const changesAfter = (seen: SeenChanges | null, ends: AbortSignal) =>
          hosting.identityChanges(seen, ends)
        return followIdentityChanges({ changesAfter, identities, signal })
      },
      endMinute: () => undefined,
    }
  }
  const forget = (did: Did): void => {
    identities.forget(did)
    identityChanges.add(did)
  }
  const ingest = opened.use(startIngest({ ...options, identities: { forget } }))
  const hosting = new LocalHosting({ ...options, ingest })
  return {
    hosting,
    ingest,
    sync: (did) => ingest.sync(did),
    identityChanges,
    followIdentities: () => Promise.resolve(),
    endMinute: () => hosting.endMinute(),
  }
}
