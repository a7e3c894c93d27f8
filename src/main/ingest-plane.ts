import type { FirehoseStatus } from '#atproto/firehose/firehose-status.ts'
import { RecentBlocks } from '#atproto/repo/recent-blocks.ts'
import { keepCertificates } from '#certificates/keep-certificates.ts'
import { openKeySeal } from '#certificates/sealed-keys.ts'
import { repeatEvery } from '#concurrency/every-or-when-woken.ts'
import { AccountSyncs } from '#ingest/account-syncs.ts'
import { accountWork } from '#ingest/account-work.ts'
import { collectGarbage } from '#ingest/blobs/collect-garbage.ts'
import { scrubBlobs } from '#ingest/blobs/scrub-blobs.ts'
import { followSites } from '#ingest/follow.ts'
import { finishForgets } from '#ingest/forget-content.ts'
import { RecentTrees } from '#ingest/read/recent-trees.ts'
import { RecentVersions } from '#ingest/read/recent-versions.ts'
import { runWork } from '#ingest/run-work.ts'
import { siteWork } from '#ingest/site-work.ts'
import { versionWork } from '#ingest/version-work.ts'
import { VisitedQuota } from '#ingest/visited-quota.ts'
import type { WorkContext } from '#ingest/work-context.ts'
import type { Log } from '#observe/log.ts'
import type { Spans } from '#observe/spans.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import type { Did } from '#site/site-address.ts'
import type { Duties, Term } from '#store/duties.ts'
import { dropUnservedSites } from '#store/lifecycle/unserved-sites.ts'
import type { Config } from './config/config.ts'
import { failAt } from './fail-at.ts'
import { identityForgetter } from './follow-identities.ts'
import type { IngestMeter } from './metrics/ingest-numbers.ts'
import { createOutbound } from './service/outbound.ts'
import { requestPools } from './service/request-pools.ts'
import type { Stores } from './service/stores.ts'

/** The settings without secrets and class instances: plain data that can be sent to a thread. */
export type IngestSettings = Omit<
  Config,
  'cdnPurge' | 'metricsToken' | 'secrets' | 'trustedProxies'
> & {
  /** With which private keys of certificates are sealed; null: this service orders none. */
  readonly keySecrets: readonly [string, ...string[]] | null
}

export function ingestSettings(
  config: Config,
  secrets: readonly [string, ...string[]],
): IngestSettings {
  const { cdnPurge: _, metricsToken: __, secrets: ___, trustedProxies: ____, ...settings } = config
  return { ...settings, keySecrets: config.tls?.ordering ? secrets : null }
}

interface PlaneOptions extends Stores {
  readonly duties: Duties
  readonly settings: IngestSettings
  readonly log: Log
  readonly spans: Spans
  readonly meter: Pick<IngestMeter, 'fetches' | 'firehose'>
  readonly signal: AbortSignal
  /** Called when cached identities of the account must be invalidated. */
  readonly onIdentityChanged: (did: Did) => void
}

/**
 * Everything that reads the network: firehose, queues, requested syncs; and the care of blobs. `background` resolves when
 * all work has ended after the signal.
 */
export function startIngestPlane({ settings, ...options }: PlaneOptions) {
  const { clock, db, duties, meter, onIdentityChanged, signal } = options
  const { now } = clock
  const { allowPrivateHosts, alsoServe, firehoseUrl, ingest, limits, visitedBytesMax } = settings
  const { fetch, identities, lookUp } = createOutbound({
    config: settings,
    outcomes: meter.fetches.sites,
    pool: requestPools.sites,
    signal,
  })
  const context = {
    ...options,
    fetch,
    identities,
    recentBlocks: new RecentBlocks(),
    recentTrees: new RecentTrees(),
    recentVersions: new RecentVersions(),
    limits,
    alsoServe,
    visitedQuota: new VisitedQuota({ db, bytesMax: visitedBytesMax, now }),
    at: failAt(settings),
    now,
  }
  const forget = (did: Did): void => {
    identities.forget(did)
    onIdentityChanged(did)
  }
  const background = Promise.all([
    clock.keep(context),
    runWork(
      [
        siteWork({ ...context, discoversVisited: ingest === 'visited' }),
        versionWork(context),
        // A separate semaphore, so that account checks do not queue behind large files.
        accountWork({
          ...context,
          fetch: createSafeFetch({
            allowPrivate: allowPrivateHosts,
            ...requestPools.accounts,
            outcomes: meter.fetches.accounts,
          }),
        }),
      ],
      context,
    ),
    readFirehose(duties, meter.firehose, async (term) => {
      const { signal } = term
      const following = followSites({
        ...context,
        identities: { forget },
        firehose: meter.firehose,
        firehoseUrl,
        discoversAll: ingest === 'all',
        signal,
        term,
      })
      await Promise.all([following, dropUnserved({ ...context, signal })])
    }),
    sweepTemporary(context),
    duties.run('blobs', (term) =>
      keepBlobs(settings.scrubDays, { ...context, signal: term.signal }),
    ),
    duties.run('certificates', (term) =>
      keepCertificatesOf(settings, { ...context, lookUp, signal: term.signal }),
    ),
  ])
  return {
    syncs: new AccountSyncs(context),
    /** Of what other instances have seen change, too. */
    forget: identityForgetter(identities),
    background,
  }
}

/** Of networks that were served before. */
async function dropUnserved(context: WorkContext): Promise<void> {
  const { alsoServe = [], db, log, now, wakeUps } = context
  await repeatEvery(
    { everyMs, failure: 'unserved sites not dropped' },
    async () => {
      const dropped = await dropUnservedSites(db, alsoServe, now())
      if (dropped === 0) return
      wakeUps.notify('changes')
      log.info('sites of networks that are not served dropped', { dropped })
    },
    context,
  )
}

/** While this instance has the duty; otherwise the status says that another one does. */
async function readFirehose(
  duties: Duties,
  status: Pick<FirehoseStatus, 'isElsewhere'>,
  read: (term: Term) => Promise<void>,
): Promise<void> {
  status.isElsewhere = true
  await duties.run('firehose', async (term) => {
    status.isElsewhere = false
    try {
      await read(term)
    } finally {
      status.isElsewhere = true
    }
  })
}

async function keepCertificatesOf(
  { keySecrets, origin, tls }: IngestSettings,
  context: Omit<Parameters<typeof keepCertificates>[0], 'applicationHost' | 'authorities' | 'seal'>,
): Promise<void> {
  if (keySecrets === null || !tls?.ordering) return
  const { authorities, caFile } = tls.ordering
  const ca = caFile === null ? [] : [await Bun.file(caFile).text()]
  await keepCertificates({
    ...context,
    applicationHost: new URL(origin).hostname,
    authorities: authorities.map((authority) => ({ ...authority, ca })),
    seal: await openKeySeal(keySecrets),
  })
}

/** The start should not have to read every snapshot. */
const firstAfterMs = 10 * 60 * 1000
const everyMs = 60 * 60 * 1000
const minuteMs = 60 * 1000
const dayMs = 24 * everyMs

/** Hourly, of this instance's own folder. */
const sweepTemporary = ({ blobs, ...context }: Stores & WorkContext): Promise<void> =>
  repeatEvery(
    { everyMs, firstAfterMs, failure: 'temporary file sweep failed' },
    // By the clock of the folder's machine.
    () => blobs.sweep(Date.now()),
    context,
  )

/** Hourly deletes garbage. Every minute finishes what was interrupted of forgetting versions, and verifies some blobs, all within
 * `scrubDays` (0: none). */
async function keepBlobs(scrubDays: number, context: Stores & WorkContext): Promise<void> {
  const garbage = { everyMs, firstAfterMs, failure: 'garbage collection failed' }
  const scrub = { everyMs: minuteMs, firstAfterMs, failure: 'blob scrub failed' }
  const forgets = { everyMs: minuteMs, failure: 'forgotten versions not removed' }
  await Promise.all([
    repeatEvery(forgets, () => finishForgets(context), context),
    repeatEvery(garbage, () => collectGarbage(context), context),
    scrubDays > 0 && repeatEvery(scrub, () => scrubBlobs(scrubDays * dayMs, context), context),
  ])
}
