import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { readRepository } from '#publish/account-records.ts'
import { filesOfSite } from '#publish/files-of-site.ts'
import { findReusableBlobs } from '#publish/reusable-blobs.ts'
import { patienceOfAPerson, withPatience } from '#publish/server-patience.ts'
import { mainCid } from '#publish/write-site.ts'
import { type SiteLimits, siteFilesMax } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import { blobKeyOf, blobKeyText } from '#site/record/blob-key.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { applyChanges } from '#site/upload/apply-changes.ts'
import { invalid, megabytes, tooLarge } from '#site/upload/upload-refusal.ts'
import type { Db } from '#store/database/database.ts'
import type { NeededContent } from '#store/queues/deploys.ts'
import { findHeldBlobs } from '#store/sites/held-blobs.ts'
import type { AdmittedDeploy } from './declared-files.ts'
import type { DeployPlan } from './deploy-plan.ts'

interface PrepareContext {
  readonly db: Db
  readonly repo: AccountRepo
  readonly limits: SiteLimits
  readonly now: () => number
  readonly signal: AbortSignal
}

export interface PreparedDeploy {
  readonly plan: DeployPlan
  /** Of the whole site. */
  readonly bytes: number
  /** What the account does not have. */
  readonly needed: readonly NeededContent[]
}

/**
 * Finds out what the site becomes, and what of it the account does not have: `findReusableBlobs` decides, so that nobody
 * learns what other accounts store. Throws UploadRefusedError, and what calls to the account's server throw.
 */
export async function prepareDeploy(
  address: SiteAddress,
  { changes, ...admitted }: AdmittedDeploy,
  { db, repo, limits, now, signal }: PrepareContext,
): Promise<PreparedDeploy> {
  const { files, siteFile } = admitted
  const patience = { now, signal, ...patienceOfAPerson }
  const repository = await withPatience(() => readRepository(repo, address.name), patience)
  const readBase = () => filesOfSite(address, repository, { repo, ...patience })
  const present = changes === null ? new Map() : await sizesOf(address, await readBase(), db)
  const declared = new Map(files.map(({ path, bytes }) => [path, bytes]))
  const tree = applyChanges(present, declared, changes ?? { remove: [], into: null })
  if (!tree.ok) throw invalid(tree.problems[0] ?? '')
  const { siteFilesMax: filesMax = siteFilesMax } = limits
  if (tree.files.size > filesMax)
    throw tooLarge(`This site would have more than ${filesMax} files.`)
  const bytes = tree.files.values().reduce((sum, size) => sum + size, 0)
  if (bytes > limits.siteBytesMax) {
    throw tooLarge(`This site would be larger than ${megabytes(limits.siteBytesMax)}.`)
  }
  const hashes = files.map(({ sha256 }) => sha256)
  const held = await findReusableBlobs(address.did, repository, hashes, db)
  const base = changes && { cid: mainCid(address, repository), ...changes }
  return {
    plan: { ...admitted, base },
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

/** Of the site's present files, decoded where this account has shown that to us. */
async function sizesOf(
  address: SiteAddress,
  site: Awaited<ReturnType<typeof filesOfSite>>,
  db: Db,
): Promise<Map<SitePath, number>> {
  if (!site.ok) throw invalid(site.problem)
  const keys = [...site.files.values()].map(blobKeyOf)
  const known = new Map(
    (await findHeldBlobs(db, address, keys)).map((blob) => [blobKeyText(blob), blob.decodedBytes]),
  )
  return new Map(
    Array.from(site.files, ([path, node]) => {
      const bytes = known.get(blobKeyText(blobKeyOf(node))) ?? node.blob.size
      return [path, bytes]
    }),
  )
}
