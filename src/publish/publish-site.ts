import type { Lane } from '#concurrency/lane.ts'
import { ServerRefusedError } from '#outbound/server-errors.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { isSameJson } from '#site/same-json.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { applyChanges } from '#site/upload/apply-changes.ts'
import type { VersionKey } from '#site/version-key.ts'
import type { JobProgress } from '#store/queues/jobs.ts'
import { type RepoContext, SiteConflictError } from './commit-on-head.ts'
import type { PlannedFile } from './contents/planned-file.ts'
import { type BaseChanges, filesOfBase, unlistedFiles } from './files-of-base.ts'
import type { NewVersion, VersionToWrite } from './new-version.ts'
import { NotPublishableError } from './not-publishable.ts'
import { type RepositoryState, readRepository } from './repository/read-repository.ts'
import { ServerBusyError, withPatience } from './server-patience.ts'
import type { SettingsChange } from './site-records.ts'
import {
  type StoreContext,
  type StoredBlobs,
  type StoreJob,
  storeFiles,
  unsentOf,
} from './store-files.ts'
import {
  mainCid,
  type WriteContext,
  type WriteOnto,
  type WrittenSite,
  writeSite,
} from './write-site.ts'

/** The job that a publish is an attempt at. */
export interface PublishJob extends StoreJob {
  /** When its first attempt began. */
  readonly startedAt: number
  /** The job occupies the lane except while it sends files slowly. */
  readonly lane: Pick<Lane, 'detachWhenSlow' | 'pin'>
  /** CID of the site's record when the job first read it, null for none. The first call stores and returns `current`. */
  readonly rememberExpectedCid: (current: string | null) => Promise<string | null>
  /** Null: the session cannot write version records. */
  readonly version: NewVersion | null
  /** From here on the job cannot be cancelled; false when it already was. */
  readonly beginWriting: () => Promise<boolean>
}

export type PublishOutcome =
  | ({ readonly kind: 'published'; readonly fileCount: number } & WrittenSite)
  /** Everything is sent, slowly: another attempt reads the repository again and writes the site. */
  | { readonly kind: 'uploaded' }
  /** The account's server takes nothing more until `retryAt`. */
  | { readonly kind: 'busy'; readonly retryAt: number }
  | { readonly kind: 'cancelled' }

export interface SiteContent {
  readonly files: readonly PlannedFile[]
  /** Of a version, or of the site as the job expects it; null: the files are the whole site. */
  readonly changes: BaseChanges | null
  /** Null: they stay as they are. */
  readonly settings: SettingsChange | null
}

/**
 * Writes a site to its owner's repository: every blob first, then one commit that names them all. Until that commit
 * the old site is unchanged. An unchanged site costs neither an upload nor a commit. Throws SiteConflictError when
 * another program changed the site meanwhile, and ContentsGoneError.
 */
export async function publishSite(
  address: SiteAddress,
  { files, changes, settings }: SiteContent,
  job: PublishJob,
  context: StoreContext,
): Promise<PublishOutcome> {
  const { ledger } = context
  const hashes = files.map((file) => file.sha256)
  const attempt = async (): Promise<PublishOutcome> => {
    const prepared = await prepare(address, { files, changes }, job, context)
    if (prepared.start === null) job.lane.detachWhenSlow()
    const nodes = await storeFiles(files, prepared.stored, job, context)
    const tree = treeOf(address, nodes, changes, prepared, context.filesMax)
    if (!job.lane.pin()) return { kind: 'uploaded' }
    job.report({ phase: 'creating_manifest', currentFile: null })
    if (!(await job.beginWriting())) return { kind: 'cancelled' }
    const version = versionOf({ files, changes }, job.version)
    const written = await writeSite(address, tree, prepared, context, version, settings)
    return { kind: 'published', fileCount: tree.size, ...written }
  }
  const { filesUploaded, bytesUploaded } = job.sentBefore
  job.report({ ...progressAtStart(files), filesUploaded, bytesUploaded })
  try {
    const outcome = await attempt().catch(async (error) => {
      if (!isBlobNotFound(error)) throw error
      // The server has dropped blobs of an earlier attempt or of a deleted record: the next attempt sends every
      // blob that neither this job has sent nor a record references.
      await ledger.forget(hashes, { before: job.startedAt })
      return await attempt()
    })
    if (outcome.kind !== 'published') return outcome
    await ledger.forget(hashes)
    job.report({ phase: 'finalizing' })
    return outcome
  } catch (error) {
    if (error instanceof ServerBusyError) return { kind: 'busy', retryAt: error.retryAt }
    throw error
  }
}

type Files = ReadonlyMap<SitePath, FileNode>

interface Prepared extends WriteOnto {
  readonly stored: StoredBlobs
  /** The files that the job changes; null when it has all files of the site. */
  readonly base: Files | null
  /** The base is the live site, and not the one that the job expects. */
  readonly isMoved: boolean
}

/** Finds out which files of a site the account already has. */
async function prepare(
  address: SiteAddress,
  { files, changes }: Omit<SiteContent, 'settings'>,
  { rememberExpectedCid }: PublishJob,
  context: StoreContext,
): Promise<Prepared> {
  const { ledger, now, pause, recentRepositories: recent, repo, signal } = context
  const version = changes?.version ?? undefined
  const read = () => readRepository(repo, address.name, { recent, version })
  const repository = await withPatience(read, { now, pause, signal })
  const expectedCid = await rememberExpectedCid(mainCid(address, repository))
  const isOfLive = changes !== null && changes.version === null
  const isMoved = isOfLive && mainCid(address, repository) !== expectedCid
  const base = changes === null ? null : await baseOf(address, changes.version, repository, context)
  const present = base ?? (await unlistedFiles(address, repository, context))
  const stored = await ledger.findReusable(files, repository, present)
  // The account's records take too much memory to keep them during uploads.
  const start = unsentOf(files, stored).length === 0 ? repository : null
  if (base !== null && isMoved && start === null) throw new SiteConflictError(address)
  return { expectedCid, stored, start, base, isMoved }
}

async function baseOf(
  address: SiteAddress,
  version: VersionKey | null,
  repository: RepositoryState,
  context: RepoContext,
): Promise<Files> {
  const base = await filesOfBase(address, version, repository, context)
  if (!base.ok) throw new NotPublishableError(`${base.problem} Nothing was published.`)
  return base.files
}

/** The site's files to be. Throws SiteConflictError when the base is not the one that the job expects. */
function treeOf(
  address: SiteAddress,
  nodes: Files,
  changes: BaseChanges | null,
  { base, isMoved }: Prepared,
  filesMax: number | undefined,
): Files {
  if (changes === null || base === null) return nodes
  // An attempt that was interrupted may have made the changes.
  const remove = isMoved ? [] : changes.remove
  const tree = applyChanges(base, nodes, { ...changes, remove }, filesMax)
  if (!tree.ok) throw new NotPublishableError(`${tree.problems[0]} Nothing was published.`)
  const isMade = () =>
    isSameTree(tree.files, base) && !changes.remove.some((path) => holds(base, path))
  if (isMoved && !isMade()) throw new SiteConflictError(address)
  return tree.files
}

const isSameTree = (a: Files, b: Files): boolean =>
  a.size === b.size && [...a].every(([path, node]) => isSameJson(node, b.get(path)))

/** Whether there is a file or a folder at this path. */
const holds = (files: Files, at: SitePath): boolean =>
  files.has(at) || [...files.keys()].some((path) => path.startsWith(`${at}/`))

/** Writes a site without files. */
export async function publishEmptySite(
  address: SiteAddress,
  context: WriteContext,
  version: NewVersion | null,
): Promise<WrittenSite> {
  const start = await readRepository(context.repo, address.name)
  const onto = { expectedCid: mainCid(address, start), start }
  return await writeSite(
    address,
    new Map(),
    onto,
    context,
    versionOf({ files: [], changes: null }, version),
  )
}

function versionOf(
  { files, changes }: Omit<SiteContent, 'settings'>,
  version: NewVersion | null,
): VersionToWrite | null {
  if (version === null) return null
  const bytes = changes === null ? files.reduce((sum, file) => sum + file.bytes, 0) : null
  return { ...version, bytes, base: changes?.version ?? null }
}

const isBlobNotFound = (error: unknown): boolean =>
  error instanceof ServerRefusedError && error.code === 'BlobNotFound'

export function progressAtStart(files: readonly { readonly bytes: number }[]): JobProgress {
  return {
    phase: 'validating',
    totalFiles: files.length,
    filesProcessed: 0,
    filesUploaded: 0,
    filesReused: 0,
    bytesTotal: files.reduce((sum, file) => sum + file.bytes, 0),
    bytesUploaded: 0,
    currentFile: null,
  }
}
