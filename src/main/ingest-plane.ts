import { AccountSyncs } from '#ingest/account-syncs.ts'
import { accountWork } from '#ingest/account-work.ts'
import { followSites } from '#ingest/follow.ts'
import { runWork } from '#ingest/run-work.ts'
import { siteWork } from '#ingest/site-work.ts'
import { VisitedRoom } from '#ingest/visited-room.ts'
import type { Config } from '#main/config/config.ts'
import { keepBlobs } from '#main/maintenance/keep-blobs.ts'
import type { Log } from '#observe/log.ts'
import { createLookUp } from '#outbound/dns/look-up.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import type { Did } from '#site/site-address.ts'
import { failAt } from './fail-at.ts'
import { createOutbound } from './outbound.ts'
import { requestsAtOnce } from './requests-at-once.ts'
import type { Stores } from './stores.ts'

/** What reading the network needs to know of the settings; plain data, which a thread can be sent. */
export type IngestSettings = Pick<
  Config,
  | 'accountBytesMax'
  | 'allowPrivateHosts'
  | 'databaseUrl'
  | 'dataDir'
  | 'dnsServers'
  | 'failPoint'
  | 'fileBytesMax'
  | 'firehoseUrl'
  | 'handleResolverUrl'
  | 'ingest'
  | 'logLevel'
  | 'plcUrl'
  | 'scrubDays'
  | 'siteBytesMax'
  | 'visitedBytesMax'
>

export function ingestSettings(config: Config): IngestSettings {
  const { allowPrivateHosts, databaseUrl, dataDir, dnsServers, failPoint, fileBytesMax } = config
  const { firehoseUrl, handleResolverUrl, ingest, logLevel, plcUrl } = config
  const { accountBytesMax, scrubDays, siteBytesMax, visitedBytesMax } = config
  return {
    allowPrivateHosts,
    databaseUrl,
    dataDir,
    dnsServers,
    failPoint,
    fileBytesMax,
    firehoseUrl,
    handleResolverUrl,
    ingest,
    logLevel,
    plcUrl,
    accountBytesMax,
    scrubDays,
    siteBytesMax,
    visitedBytesMax,
  }
}

interface IngestPlane {
  readonly syncs: AccountSyncs
  /** Resolves when all of it has ended, which it does when the signal is aborted. */
  readonly background: Promise<unknown>
}

interface PlaneOptions extends Stores {
  readonly settings: IngestSettings
  readonly log: Log
  readonly signal: AbortSignal
  /** Whoever keeps what was resolved of an account shall forget it. */
  readonly onIdentityChanged: (did: Did) => void
}

/** Everything that reads the network: the firehose, the queues, what people have synced, and garbage. */
export function startIngestPlane({ settings, ...options }: PlaneOptions): IngestPlane {
  const { db, onIdentityChanged, signal } = options
  const { allowPrivateHosts, dnsServers, firehoseUrl, ingest, visitedBytesMax } = settings
  const { accountBytesMax, fileBytesMax, siteBytesMax } = settings
  const now = Date.now
  const lookUp = createLookUp({ servers: dnsServers, signal })
  const { fetch, identities } = createOutbound({
    config: settings,
    lookUp,
    requestsMax: requestsAtOnce.sites,
  })
  const context = {
    ...options,
    fetch,
    identities,
    limits: { accountBytesMax, fileBytesMax, siteBytesMax },
    room: new VisitedRoom({ db, bytesMax: visitedBytesMax, now }),
    at: failAt(settings.failPoint),
    now,
  }
  const forget = (did: Did): void => {
    identities.forget(did)
    onIdentityChanged(did)
  }
  const background = Promise.all([
    runWork(
      [
        siteWork({ ...context, meetsVisited: ingest === 'visited' }),
        // Slots of its own: whether an account is still there is not asked behind somebody's large files.
        accountWork({
          ...context,
          fetch: createSafeFetch({
            allowPrivate: allowPrivateHosts,
            requestsMax: requestsAtOnce.accounts,
          }),
        }),
      ],
      context,
    ),
    followSites({
      ...context,
      identities: { forget },
      firehoseUrl,
      meetsAll: ingest === 'all',
    }),
    keepBlobs(settings.scrubDays, context),
  ])
  return { syncs: new AccountSyncs(context), background }
}
