import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { ApiError } from '#api/errors.ts'
import { siteNotFound } from '#api/routes/own-site.ts'
import { runInSlices } from '#concurrency/yield-event-loop.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseVersionKey, type VersionKey } from '#site/version-key.ts'
import {
  decodeFiles,
  decodeSnapshotSteps,
  type Snapshot,
  type SnapshotFile,
  SnapshotFormatError,
} from '#site/visit/snapshot.ts'
import type { Db } from '#store/database/database.ts'
import { findSnapshotText } from '#store/lifecycle/account-data.ts'
import { findSite } from '#store/sites/sites.ts'
import {
  findLiveVersionKey,
  findVersionRecord,
  findVersionSnapshot,
  listVersionRecords,
  type VersionRecord,
} from '#store/sites/version-records/version-records.ts'
import { listVersions, type Version } from '#store/sites/versions.ts'

/** The id of what visitors get. */
const liveId = 'live'
/** Before the id of a state of the site's record that no version record describes. */
export const otherPrefix = 'other-'

/** A version by its id. */
export type FoundVersion =
  | { readonly kind: 'record'; readonly record: VersionRecord }
  /** A state of the site's own record. */
  | { readonly kind: 'state'; readonly state: Version }

/** Throws ApiError 404 without such a version of the site. */
export async function findVersion(site: SiteAddress, id: string, db: Db): Promise<FoundVersion> {
  const key = parseVersionKey(id)
  const record = key && (await findVersionRecord(db, { did: site.did, key }))
  if (record?.site === site.name) return { kind: 'record', record }
  const states = isOfState(id) ? await listVersions(db, site) : []
  const state = states.find((state) =>
    id === liveId ? state.state === 'live' : id === otherPrefix + state.id,
  )
  if (state !== undefined) return { kind: 'state', state }
  await liveKeyOf(site, db)
  throw new ApiError(404, sentences.versionNotFound)
}

/** Key of the version record that is live; null: none is. Throws ApiError 404 without site and versions. */
export async function liveKeyOf(site: SiteAddress, db: Db): Promise<VersionKey | null> {
  const known = await findSite(db, site)
  if (known === null && !(await hasVersionRecords(site, db))) throw siteNotFound()
  const live = known?.live?.recordCid ?? null
  return live === null ? null : await findLiveVersionKey(db, site, live)
}

const isOfState = (id: string): boolean => id === liveId || id.startsWith(otherPrefix)

const hasVersionRecords = async (site: SiteAddress, db: Db): Promise<boolean> =>
  (await listVersionRecords(db, site, { limit: 1 })).length > 0

export interface VersionContent {
  readonly snapshot: Snapshot
  /** Of its own host, with a slash at the end; null: it has none. */
  readonly url: string | null
}

type ContentContext = Pick<ApiContext, 'db' | 'labelUrl' | 'log' | 'siteUrl'>

/** What visitors of a version get, or got. Throws ApiError as `findVersion`, and 410 when it is not kept. */
export async function contentOf(
  site: SiteAddress,
  id: string,
  context: ContentContext,
): Promise<VersionContent> {
  const { version, decoded } = await decodedText(site, id, decodeAll, context)
  return { snapshot: decoded, url: urlOf(site, version, context) }
}

/** One file of what visitors of a version get, or got. Throws ApiError as `contentOf`, and 404 without such a file. */
export async function fileOf(
  site: SiteAddress,
  id: string,
  path: string,
  context: Pick<ContentContext, 'db' | 'log'>,
): Promise<SnapshotFile> {
  const decode = (text: string) => decodeFiles(text, (other) => other === path)
  const { decoded } = await decodedText(site, id, decode, context)
  const file = decoded.get(path)
  if (file === undefined) throw new ApiError(404, sentences.fileNotFound)
  return file
}

async function decodedText<Decoded>(
  site: SiteAddress,
  id: string,
  decode: (text: string) => Decoded | Promise<Decoded>,
  { db, log }: Pick<ContentContext, 'db' | 'log'>,
): Promise<{ version: FoundVersion; decoded: Decoded }> {
  const version = await findVersion(site, id, db)
  const text =
    version.kind === 'record'
      ? await findVersionSnapshot(db, version.record)
      : await findSnapshotText(db, site.did, version.state.id)
  try {
    return { version, decoded: await decode(text ?? notKept()) }
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    log.warn('snapshot not read', { did: site.did, site: site.name, version: id, error })
    return notKept()
  }
}

const decodeAll = (text: string): Promise<Snapshot> => runInSlices(decodeSnapshotSteps(text))

function urlOf(
  site: SiteAddress,
  version: FoundVersion,
  { labelUrl, siteUrl }: ContentContext,
): string | null {
  if (version.kind === 'state') return version.state.state === 'live' ? siteUrl(site) : null
  const { hasContent, label } = version.record
  return hasContent && label !== null ? labelUrl(label) : null
}

function notKept(): never {
  throw new ApiError(410, sentences.filesNotKept)
}
