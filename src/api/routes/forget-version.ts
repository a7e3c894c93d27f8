import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { forgetContent } from '#ingest/forget-content.ts'
import { recordEvent } from '#observe/events.ts'
import { forgetVersion } from '#publish/forget-version.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { findSite } from '#store/sites/sites.ts'
import { assertNotPublishing, atServer } from './own-site.ts'
import { findVersion } from './version-content.ts'

/** In all: each reads every snapshot of the service. */
const atOnceMax = 1
const waitingMax = 20

interface Removed {
  /** The `at://` addresses of records. */
  readonly records: readonly string[]
  readonly blobs: number
  readonly bytes: number
}

/** Removes a version from its owner's repository, then what is stored of it here. Throws ApiError. */
export function versionForgetter(context: ApiContext) {
  const limit = new ConcurrencyLimit({
    max: atOnceMax,
    waitingMax,
    sentence: sentences.forgetsRunning,
    retryAfterSeconds: 10,
  })
  return async (site: SiteAddress, id: string, signal: AbortSignal): Promise<Removed> => {
    const version = await findVersion(site, id, context.db)
    await assertNotPublishing(site, context)
    await assertNotLive(site, version, context)
    using _ = await limit.acquire('all', signal)
    const purge = { ...context, signal: context.shutdown.begun }
    const facts = { did: site.did, site: site.name, version: id }
    if (version.kind === 'state') {
      const content = await forgetContent(site, { stateId: version.state.id }, purge)
      recordEvent(context.log, 'version_forgotten', { ...facts, ...content })
      return { records: [], ...content }
    }
    const { key } = version.record
    const forgotten = await atServer(site.did, 'forget version', context, (server) =>
      forgetVersion(site, key, { ...server, now: context.now }),
    )
    if (forgotten.kind === 'live') throw isLive()
    const { records, rev } = forgotten
    const content = await forgetContent(site, { key, rev }, purge)
    recordEvent(context.log, 'version_forgotten', { ...facts, ...content })
    return { records, ...content }
  }
}

type Found = Awaited<ReturnType<typeof findVersion>>

/** As far as the index knows; the repository is asked once more. */
async function assertNotLive(
  site: SiteAddress,
  version: Found,
  { db }: Pick<ApiContext, 'db'>,
): Promise<void> {
  const live = (await findSite(db, site))?.live ?? null
  if (live === null) return
  const cid = version.kind === 'state' ? version.state.recordCid : version.record.manifest
  if (cid === live.recordCid) throw isLive()
}

const isLive = (): ApiError => new ApiError(409, sentences.versionIsLive)
