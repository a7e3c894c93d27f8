import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { assertNotPublishing, atServer } from '#api/routes/own-site.ts'
import { type ForgottenVersion, forgetContent } from '#ingest/forget-content.ts'
import { recordEvent } from '#observe/events.ts'
import { forgetVersion } from '#publish/history/forget-version.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseVersionKey } from '#site/version-key.ts'
import type { Db } from '#store/database/database.ts'
import { findSite } from '#store/sites/sites.ts'
import {
  beginForget,
  type ForgottenId,
  findUnfinishedForget,
  finishForget,
} from '#store/sites/unfinished-forgets.ts'
import {
  findLiveVersionKey,
  listPreviewKeys,
} from '#store/sites/version-records/version-records.ts'
import { type FoundVersion, findVersion, otherPrefix } from './version-content.ts'

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
    const version = await idOf(site, id, context)
    const { records, gone } = await removeRecord(site, version, context)
    // Not before: a slow server must not keep others waiting. If this fails, the rest is removed later.
    using _ = await limit.acquire('all', signal)
    const purge = { ...context, signal: context.shutdown.begun }
    const content = await forgetContent(site, gone, purge)
    const facts = { did: site.did, site: site.name, version: id }
    recordEvent(context.log, 'version_forgotten', { ...facts, ...content })
    context.at('forget-finished')
    return { records, ...content }
  }
}

type ForgetVersion = ReturnType<typeof versionForgetter>

/** Removes all previews of a site with an alias; none is no failure. Throws ApiError. */
export async function forgetPreviews(
  site: SiteAddress,
  alias: string,
  { db, forget, signal }: Pick<ApiContext, 'db'> & { forget: ForgetVersion; signal: AbortSignal },
): Promise<Removed> {
  let removed: Removed = { records: [], blobs: 0, bytes: 0 }
  for (const key of await listPreviewKeys(db, site, alias)) {
    const { blobs, bytes, records } = await forget(site, key, signal)
    removed = {
      records: [...removed.records, ...records],
      blobs: removed.blobs + blobs,
      bytes: removed.bytes + bytes,
    }
  }
  return removed
}

/** Of a version that is stored here, or whose removal was interrupted. Throws ApiError 404, and 409 for the live one and while the site is being published. */
async function idOf(site: SiteAddress, id: string, context: ApiContext): Promise<ForgottenId> {
  const { db } = context
  const key = parseVersionKey(id)
  const asked = key === null ? { stateId: id.replace(otherPrefix, '') } : { key }
  const isUnfinished = (await findUnfinishedForget(db, site, asked)) !== null
  const version = isUnfinished ? null : await findVersion(site, id, db)
  // First of all conflicts: what is live may be another one in a moment.
  await assertNotPublishing(site, context)
  if (version === null) return asked
  await assertNotLive(site, version, db)
  return version.kind === 'state' ? { stateId: version.state.id } : { key: version.record.key }
}

async function removeRecord(
  site: SiteAddress,
  version: ForgottenId,
  context: ApiContext,
): Promise<{ readonly records: readonly string[]; readonly gone: ForgottenVersion }> {
  const { db, now } = context
  // What ingest removes when it sees the deletion is known only before.
  await beginForget(db, site, version, now())
  if ('stateId' in version) return { records: [], gone: version }
  const { key } = version
  const forgotten = await atServer(site.did, 'forget version', context, (server) =>
    forgetVersion(site, key, { ...server, now }),
  )
  if (forgotten.kind === 'live') {
    await finishForget(db, site, version)
    throw isLive()
  }
  context.at('forget-committed')
  const { records, rev } = forgotten
  return { records, gone: { key, rev } }
}

/** As far as the index knows; the repository is asked once more. */
async function assertNotLive(site: SiteAddress, version: FoundVersion, db: Db): Promise<void> {
  const live = (await findSite(db, site))?.live ?? null
  if (live === null) return
  const isTheLiveOne =
    version.kind === 'state'
      ? version.state.recordCid === live.recordCid
      : version.record.key === (await findLiveVersionKey(db, site, live.recordCid))
  if (isTheLiveOne) throw isLive()
}

const isLive = (): ApiError => new ApiError(409, sentences.versionIsLive)
