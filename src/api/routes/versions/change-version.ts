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
import type { Db } from '#store/database/database.ts'
import { enqueueVersions } from '#store/queues/enqueue.ts'
import {
  findVersionRecord,
  type VersionRecord,
} from '#store/sites/version-records/version-records.ts'
import type { Version } from '#store/sites/versions.ts'
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
  const record = found.kind === 'record' ? found.record : await liveRecord(site, found.state, db)
  if (record === null) throw new ApiError(409, sentences.noVersionRecord)
  const { key } = record
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
      const liveKey = await liveKeyOf(site, db)
      const changed = { ...record, alias, expiresAt, message, pinned }
      return recordRow(site, changed, { ...context, liveKey })
    }
  }
}

/** The version record of a state of the site's record that is live; null: none describes it. */
async function liveRecord(
  site: SiteAddress,
  { state }: Version,
  db: Db,
): Promise<VersionRecord | null> {
  const key = state === 'live' ? await liveKeyOf(site, db) : null
  return key && (await findVersionRecord(db, { did: site.did, key }))
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
  message: `message: expected at most ${messageGraphemesMax} characters, none of them NUL`,
  pinned: 'pinned: expected a boolean',
}
