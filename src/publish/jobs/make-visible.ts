import type { WrittenSite } from '#publish/write-site.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { enqueueSites, enqueueVersions } from '#store/queues/enqueue.ts'
import { watchIngest } from './ingest-watch.ts'
import type { JobContext } from './job-context.ts'
import { type Visibility, waitUntilLive } from './wait-until-live.ts'
import { type VersionReading, waitUntilRead } from './wait-until-read.ts'

export interface Shown {
  /** Of a preview: never live. */
  readonly site: Visibility
  /** Pending also when there is no version record. */
  readonly version: VersionReading
}

/** Has ingest read what a job has written, and waits a while for it. */
export async function makeVisible(
  address: SiteAddress,
  { cid, version }: Pick<WrittenSite, 'cid' | 'version'>,
  { isPreview }: { readonly isPreview: boolean },
  context: JobContext,
  signal: AbortSignal,
): Promise<Shown> {
  const { db, log } = context
  const { did, name: site } = address
  const watch = watchIngest(context, signal)
  let shown: Shown = { site: { kind: 'pending' }, version: { kind: 'pending' } }
  try {
    if (!isPreview) {
      await enqueueSites(context, [address])
      shown = { ...shown, site: await waitUntilLive(address, cid, db, watch) }
    }
    // After the site, which has most of the same blobs. Its address works even while the firehose is late.
    if (version !== null) {
      await enqueueVersions(context, [{ did, key: version.key }])
      if (shown.site.kind === 'refused') return shown
      shown = { ...shown, version: await waitUntilRead(did, version, db, watch) }
    }
  } catch (error) {
    if (signal.aborted) throw error
    // The firehose brings both anyway.
    log.warn('cannot tell whether a site is live', { did, site, error })
  }
  return shown
}
