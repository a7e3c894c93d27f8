import type { RepoContext } from '#publish/commit-on-head.ts'
import { findReusableBlobs } from '#publish/contents/reusable-blobs.ts'
import { filesOfBase, unlistedFiles } from '#publish/files-of-base.ts'
import { isWithinPreviewQuota } from '#publish/plan-history.ts'
import { readRepository } from '#publish/repository/read-repository.ts'
import type { RecentRepositories } from '#publish/repository/recent-repositories.ts'
import { patienceOfAPerson, withPatience } from '#publish/server-patience.ts'
import { mainCid } from '#publish/write-site.ts'
import { limitText } from '#site/byte-text.ts'
import { type SiteLimits, siteFilesMax } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import { blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { applyChanges } from '#site/upload/apply-changes.ts'
import { invalid, tooLarge } from '#site/upload/upload-refusal.ts'
import {
  decodeFiles,
  type Snapshot,
  type SnapshotFile,
  SnapshotFormatError,
} from '#site/visit/snapshot.ts'
import { findHeldBlobs } from '#store/blobs/held-blobs.ts'
import type { Db } from '#store/database/database.ts'
import type { NeededContent } from '#store/queues/deploy-contents.ts'
import { findLiveSnapshot } from '#store/sites/versions.ts'
import type { AdmittedDeploy } from './declared-files.ts'
import type { DeployPlan } from './deploy-plan.ts'

const noFiles = { ok: true, files: new Map<SitePath, FileNode>() } as const

interface PrepareContext extends RepoContext {
  readonly db: Db
  readonly limits: SiteLimits
  readonly recentRepositories?: RecentRepositories | undefined
}

export interface PreparedDeploy {
  readonly plan: DeployPlan
  /** Of the whole site. */
  readonly bytes: number
  /** What the account does not have. */
  readonly needed: readonly NeededContent[]
}

/** The version that is the base is not in the repository, or there are too many for one more preview. */
export type Unprepared = 'no-version' | 'over-quota'

/**
 * Finds out what the site becomes, and what of it the account does not have: `findReusableBlobs` decides, so that nobody
 * learns what other accounts store. Throws UploadRefusedError, and what calls to the account's server throw.
 */
export async function prepareDeploy(
  address: SiteAddress,
  { changes, ...admitted }: AdmittedDeploy,
  { db, repo, limits, now, pause, recentRepositories: recent, signal }: PrepareContext,
): Promise<PreparedDeploy | Unprepared> {
  const { files, siteFile } = admitted
  const patience = { now, pause, signal, ...patienceOfAPerson }
  const version = changes?.version ?? undefined
  const read = () => readRepository(repo, address.name, { recent, version })
  const repository = await withPatience(read, patience)
  const isPreview = admitted.version.preview !== undefined
  if (isPreview && !isWithinPreviewQuota(address, repository, now())) return 'over-quota'
  const base =
    changes === null
      ? noFiles
      : await filesOfBase(address, changes.version, repository, { repo, ...patience })
  if (!base.ok && base.reason === 'no-version') return 'no-version'
  if (!base.ok) throw invalid(base.problem)
  const present = await sizesOf(address, base.files, db)
  const declared = new Map(files.map(({ path, bytes }) => [path, bytes]))
  const tree = applyChanges(present, declared, changes ?? { remove: [], into: null })
  if (!tree.ok) throw invalid(tree.problems[0] ?? '')
  const { siteFilesMax: filesMax = siteFilesMax } = limits
  if (tree.files.size > filesMax)
    throw tooLarge(`This site would have more than ${filesMax} files.`)
  const bytes = tree.files.values().reduce((sum, size) => sum + size, 0)
  if (bytes > limits.siteBytesMax) {
    throw tooLarge(`This site would be larger than ${limitText(limits.siteBytesMax)}.`)
  }
  const hashes = files.map(({ sha256 }) => sha256)
  const known =
    changes === null ? await unlistedFiles(address, repository, { repo, ...patience }) : base.files
  const held = await findReusableBlobs(address.did, repository, hashes, db, known.values())
  const plannedBase = changes && { cid: mainCid(address, repository), ...changes }
  return {
    plan: { ...admitted, base: plannedBase },
    bytes,
    needed: distinct([
      ...files.filter(({ sha256 }) => !held.has(sha256)),
      // It is read here.
      ...(siteFile === null ? [] : [siteFile]),
    ]),
  }
}

const distinct = (files: DeployPlan['files']): NeededContent[] => [
  ...new Map(files.map(({ sha256, bytes }) => [sha256, { sha256, bytes }])).values(),
]

/** Of the base's files, decoded where this account has shown that to us. */
async function sizesOf(address: SiteAddress, files: Files, db: Db): Promise<Map<SitePath, number>> {
  const live = await liveFiles(address, files, db)
  const others = [...files].filter(([path]) => !live.has(path)).map(([, node]) => blobKeyOf(node))
  const held = others.length === 0 ? [] : await findHeldBlobs(db, address, others)
  const known = new Map(held.map((blob) => [blobKeyText(blob), blob.decodedBytes]))
  return new Map(
    Array.from(files, ([path, node]) => {
      const bytes = live.get(path) ?? known.get(blobKeyText(blobKeyOf(node))) ?? node.blob.size
      return [path, bytes]
    }),
  )
}

type Files = ReadonlyMap<SitePath, FileNode>

/** Sizes of those files that are in the live version, too: its snapshot says them without a look at thousands of blobs. */
async function liveFiles(
  address: SiteAddress,
  files: Files,
  db: Db,
): Promise<ReadonlyMap<string, number>> {
  const snapshot = files.size === 0 ? null : await findLiveSnapshot(db, address)
  const live = snapshot === null ? null : filesIn(snapshot, files)
  if (live === null) return new Map()
  const isSame = (path: string, { cid, coding }: SnapshotFile): boolean => {
    const node = files.get(path as SitePath)
    return node?.blob.ref.$link === cid && (node.encoding ?? 'identity') === coding
  }
  return new Map(
    [...live]
      .filter(([path, file]) => isSame(path, file))
      .map(([path, { bytes }]) => [path, bytes]),
  )
}

/** Null: it cannot be read. */
function filesIn(snapshot: string, wanted: Files): Snapshot['files'] | null {
  try {
    return decodeFiles(snapshot, (path) => wanted.has(path as SitePath))
  } catch (error) {
    if (!(error instanceof SnapshotFormatError)) throw error
    return null
  }
}
