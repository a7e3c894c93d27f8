import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import type { VersionRow } from '#api/contract/versions.ts'
import { ApiError } from '#api/errors.ts'
import { atServer } from '#api/routes/own-site.ts'
import { versionFacts } from '#ingest/ingest-version.ts'
import {
  changeVersion as changeRecord,
  type VersionChange,
} from '#publish/history/change-version.ts'
import { aliasCharsMax, messageGraphemesMax, previewDaysMax } from '#site/limits.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { enqueueVersions } from '#store/queues/enqueue.ts'
import { findVersion, liveKeyOf } from './version-content.ts'
import { recordRow } from './version-row.ts'

/** Writes what the owner says about a version to its record. Throws ApiError. */
export async function changeVersion(
  site: SiteAddress,
  id: string,
  change: VersionChange,
  context: ApiContext,
): Promise<VersionRow> {
  const { db, now } = context
  const found = await findVersion(site, id, db)
  if (found.kind === 'state') throw new ApiError(409, sentences.noVersionRecord)
  const { key } = found.record
  const wanted = {
    ...change,
    ...(change.expiresAt && { expiresAt: expiryOf(change.expiresAt, now()) }),
  }
  const outcome = await atServer(site.did, 'change version', context, (server) =>
    changeRecord(site, key, wanted, { ...server, now }),
  )
  switch (outcome.kind) {
    case 'not-found':
      throw new ApiError(404, sentences.versionNotFound)
    case 'not-a-preview':
      throw new ApiError(400, sentences.previewsOnly)
    case 'refused':
      throw new ApiError(400, expectations[outcome.field])
    case 'changed': {
      await enqueueVersions(context, [{ did: site.did, key }])
      const { alias, expiresAt, message, pinned } = versionFacts(outcome.version, now())
      const record = { ...found.record, alias, expiresAt, message, pinned }
      const liveKey = await liveKeyOf(site, db)
      return recordRow(site, record, { ...context, liveKey })
    }
  }
}

/** In UTC; a time that is over ends the preview now. Throws ApiError for one that is too far away. */
function expiryOf(time: string, now: number): string {
  const end = Date.parse(time)
  if (end > now + previewDaysMax * dayMs) {
    throw new ApiError(400, `expiresAt: expected a time within ${previewDaysMax} days`)
  }
  return new Date(end).toISOString()
}

const dayMs = 24 * 60 * 60 * 1000

const expectations: Readonly<Record<keyof VersionChange, string>> = {
  alias: `alias: expected 3 to ${aliasCharsMax} of a-z, 0-9 and single hyphens inside`,
  expiresAt: 'expiresAt: expected a time, such as 2030-01-31T12:00:00Z',
  message: `message: expected at most ${messageGraphemesMax} characters`,
  pinned: 'pinned: expected a boolean',
}
