import type { HandlersOf } from '#api/bind-routes.ts'
import { pieceStream } from '#api/body-stream.ts'
import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { zipContentBytesMax } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import type { versionRoutes } from '#api/contract/versions.ts'
import { ApiError } from '#api/errors.ts'
import { headOfStream } from '#api/head-length.ts'
import { pageOf, readCursor } from '#api/routes/cursor.ts'
import { siteNameOf } from '#api/routes/own-site.ts'
import { assertMayDeploy } from '#api/session/deployers.ts'
import { zipPieces } from '#api/version-zip.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { compareBytes } from '#site/path.ts'
import { compareSettings, compareTrees } from '#site/record/compare-trees.ts'
import type { Did } from '#site/site-address.ts'
import type { Snapshot } from '#site/visit/snapshot.ts'
import { hasUnreadVersions } from '#store/queues/unread.ts'
import { type HistoryPosition, listHistory, positionOf } from '#store/sites/version-history.ts'
import { changeVersion } from './change-version.ts'
import { forgetPreviews, versionForgetter } from './forget-version.ts'
import { restoreVersion } from './restore-version.ts'
import { contentOf, liveKeyOf } from './version-content.ts'
import { versionFile } from './version-file.ts'
import { versionRow } from './version-row.ts'

/** Per account: each reads snapshots of several megabytes. */
const listsAtOnceMax = 4
/** Per account: each reads a snapshot, and is streamed at the client's pace. */
const filesAtOnceMax = 8
/** Per account: each reads a whole site. */
const archivesAtOnceMax = 1
/** Of one archive, at the disk. */
const lookUpsAtOnce = 8

/** `/api/site/:rkey/versions`: what the account's own sites have been (docs/versions.md). */
export function versionHandlers(context: ApiContext): HandlersOf<typeof versionRoutes> {
  const { blobs, db, log } = context
  const listing = new ConcurrencyLimit({
    max: listsAtOnceMax,
    sentence: sentences.listsBusy,
    retryAfterSeconds: 2,
  })
  const reading = new ConcurrencyLimit({
    max: filesAtOnceMax,
    sentence: sentences.filesBusy,
    retryAfterSeconds: 2,
  })
  const archiving = new ConcurrencyLimit({
    max: archivesAtOnceMax,
    sentence: sentences.archiveRunning,
    retryAfterSeconds: 10,
  })
  const forget = versionForgetter(context)
  const ownContent = (did: Did, rkey: string, id: string) =>
    contentOf({ did, name: siteNameOf(rkey) }, id, context)
  return {
    listVersions: async ({
      params: { rkey },
      query: { cursor, limit },
      session: { did },
      answer,
    }) => {
      using _ = await listing.acquire(did)
      const site = { did, name: siteNameOf(rkey) }
      const liveKey = await liveKeyOf(site, db)
      const after = readCursor(cursor, ['string', 'string']) as HistoryPosition | null
      const entries = await listHistory(db, site, { after, limit: limit + 1 })
      const { page, cursor: next } = pageOf(entries, limit, positionOf)
      const row = { ...context, liveKey, hasUnread: await hasUnreadVersions(db, did) }
      const versions = page.map((entry) => versionRow(site, entry, row))
      return answer(200, { versions, cursor: next })
    },

    changeVersion: async ({ params: { rkey, id }, body, session: { did }, answer }) => {
      const site = { did, name: siteNameOf(rkey) }
      return answer(200, await changeVersion(site, id, body, context))
    },

    restoreVersion: async ({ params: { rkey, id }, body, session: { did }, answer }) => {
      const site = { did, name: siteNameOf(rkey) }
      const { settings = false } = body
      const jobId = await restoreVersion(site, id, { settings }, context)
      return answer(200, { success: true, jobId })
    },

    compareVersions: async ({ params: { rkey, id }, query, session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const { snapshot: from } = await ownContent(did, rkey, query.against)
      const { snapshot: to } = await ownContent(did, rkey, id)
      const settings = compareSettings(from.settings, to.settings)
      return answer(200, { ...compareTrees(from.files, to.files), settings })
    },

    listVersionFiles: async ({ params: { rkey, id }, session: { did }, answer }) => {
      using _ = await listing.acquire(did)
      const { snapshot, url } = await ownContent(did, rkey, id)
      const files = Array.from(snapshot.files, ([path, { bytes, contentType }]) => ({
        path,
        bytes,
        mediaType: contentType,
        url: url && url + urlPathOf(path),
      }))
      return answer(200, { files: files.sort((a, b) => compareBytes(a.path, b.path)) })
    },

    readVersionFile: async ({ c, params: { rkey, id }, query, session: { did }, answer }) => {
      const within = { blobs, db, log, reading, request: c.req.raw }
      const site = { did, name: siteNameOf(rkey) }
      return answer(200, await versionFile(site, id, query.path, within))
    },

    downloadVersion: async ({ c, params: { rkey, id }, session: { did }, answer }) => {
      // Before the snapshot is decoded. Released on return unless the body takes it over.
      using held = new DisposableStack()
      held.use(await archiving.acquire(did))
      const { snapshot } = await ownContent(did, rkey, id)
      if (contentBytes(snapshot) > zipContentBytesMax) {
        throw new ApiError(413, sentences.archiveTooLarge)
      }
      await assertStored(snapshot, blobs, c.req.raw.signal)
      const headers = {
        'content-type': 'application/zip',
        'content-disposition': `attachment; filename="${archiveName(snapshot, id)}"`,
      }
      // Hono drops the body of an answer to HEAD without cancelling it, so the permit would never be released.
      if (c.req.method === 'HEAD') return answer(200, headOfStream(headers))
      const permit = held.move()
      onAbort(c.req.raw.signal, () => permit.dispose())
      const pieces = zipPieces(snapshot.files, { blobs, modifiedAt: snapshot.publishedAt })
      const stream = pieceStream(pieces, (error) => {
        permit.dispose()
        if (error !== undefined) log.error('archive broke off', { did, site: rkey, error })
      })
      return answer(200, new Response(stream, { headers }))
    },

    forgetVersion: async ({ c, params: { rkey, id }, session: { did }, answer }) => {
      // Bun would close the connection, which is silent while snapshots are read.
      c.env.server?.timeout(c.req.raw, 0)
      const removed = await forget({ did, name: siteNameOf(rkey) }, id, c.req.raw.signal)
      return answer(200, { success: true, removed })
    },

    forgetPreview: async ({ c, params: { rkey, alias }, session: deployer, answer }) => {
      const site = { did: deployer.did, name: siteNameOf(rkey) }
      assertMayDeploy(deployer, { site: site.name, isPreview: true })
      c.env.server?.timeout(c.req.raw, 0)
      const parts = { db, forget, signal: c.req.raw.signal }
      return answer(200, { success: true, removed: await forgetPreviews(site, alias, parts) })
    },
  }
}

const urlPathOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

const contentBytes = ({ files }: Snapshot): number =>
  files.values().reduce((sum, { bytes }) => sum + bytes, 0)

/** Throws ApiError 410: an archive that has begun could only break off. */
async function assertStored(
  { files }: Snapshot,
  blobs: ApiContext['blobs'],
  signal: AbortSignal,
): Promise<void> {
  const hashes = [...new Set(files.values().map(({ hash }) => hash))]
  const limits = { atOnce: lookUpsAtOnce, signal }
  const isThere = await mapAtOnce(hashes, limits, (hash) => blobs.has(hash))
  if (isThere.includes(false)) throw new ApiError(410, sentences.filesNotKept)
}

const archiveName = ({ name }: Snapshot, id: string): string =>
  `${name}-${id}.zip`.replace(/[^a-zA-Z0-9.-]/g, '-')
