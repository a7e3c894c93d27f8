import type { SitePath } from '#site/path.ts'
import { type FileNode, type Manifest, parseManifest } from '#site/record/manifest.ts'
import { type Part, parsePart } from '#site/record/part.ts'
import { planWrites, type WritePlan } from '#site/record/plan-writes.ts'
import { type SplitTree, splitTree } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import { type RepositoryState, readRepository } from './account-records.ts'
import {
  type CommitPlan,
  commitOnHead,
  deletion,
  type PlannedWrite,
  type RepoContext,
  SiteConflictError,
} from './commit-on-head.ts'
import type { AtFailPoint } from './fail-points.ts'
import { NotPublishableError } from './not-publishable.ts'

/** The main record in the repository. */
export interface WrittenSite {
  readonly uri: string
  readonly cid: string
}

export interface WriteContext extends RepoContext {
  readonly at: AtFailPoint
}

export interface WriteOnto {
  /** CID of the main record to replace; null for none. */
  readonly expectedCid: string | null
  /** The state of the repository, if it was just read. */
  readonly start: RepositoryState | null
}

/** Writes these files as the site. Throws SiteConflictError when its main record is not `expectedCid` any more. */
export async function writeSite(
  address: SiteAddress,
  files: ReadonlyMap<SitePath, FileNode>,
  { expectedCid, start }: WriteOnto,
  context: WriteContext,
): Promise<WrittenSite> {
  const version = splitTree(buildTree(files), address)
  const records = recordsOf(address, version, files.size, context.now())
  const uri = siteUri(address)
  const plan = (repository: RepositoryState): CommitPlan<WrittenSite> => {
    const planned = planWrites(address, version, repository)
    const current = mainCid(address, repository)
    // Also true after an earlier commit of ours whose response was lost.
    if (isDone(planned) && current !== null) return { kind: 'done', result: { uri, cid: current } }
    if (planned.putMain && current !== expectedCid) throw new SiteConflictError(address)
    return {
      kind: 'write',
      writes: writesOf(address, records, planned, current),
      written: (cids) => {
        const cid = planned.putMain ? cids[planned.createParts.length] : current
        return cid ? { uri, cid } : null
      },
    }
  }
  return await commitOnHead(
    {
      start,
      read: () => readRepository(context.repo),
      plan,
      mayWriteAlone: true,
      conflict: () => new SiteConflictError(address),
    },
    context,
  )
}

/** CID of the site's main record; null when there is none. */
export const mainCid = ({ name }: SiteAddress, { sites }: RepositoryState): string | null =>
  sites.get(name)?.cid ?? null

const isDone = ({ createParts, putMain, deleteParts }: WritePlan): boolean =>
  !putMain && createParts.length === 0 && deleteParts.length === 0

/** New parts, main record, old parts: in this order every write leaves a whole site. */
function writesOf(
  { name }: SiteAddress,
  { manifest, parts }: SiteRecords,
  { createParts, putMain, deleteParts }: WritePlan,
  replaces: string | null,
): PlannedWrite[] {
  const collection = 'place.sitehost.subfs'
  const creates = createParts.map(
    (rkey): PlannedWrite => ({ action: 'create', collection, rkey, value: { ...parts.get(rkey) } }),
  )
  const main: PlannedWrite = {
    action: replaces === null ? 'create' : 'update',
    collection: 'place.sitehost.fs',
    rkey: name,
    value: { ...manifest },
    replaces,
  }
  // Old parts that do not fit into this commit, or whose deletion fails, are deleted by the next publish.
  const deletes = deleteParts.map(
    (rkey): PlannedWrite => ({ ...deletion(collection, rkey), mayFail: true }),
  )
  return [...creates, ...(putMain ? [main] : []), ...deletes]
}

interface SiteRecords {
  readonly manifest: Manifest
  readonly parts: ReadonlyMap<string, Part>
}

// Parsed as ingest parses them: nothing is written that ingest would refuse.
function recordsOf(
  { name: site }: SiteAddress,
  { root, parts: splitParts }: SplitTree,
  fileCount: number,
  now: number,
): SiteRecords {
  const createdAt = new Date(now).toISOString()
  const $type = 'place.sitehost.fs'
  const manifest = parseManifest({ $type, site, root, fileCount, createdAt }, site)
  if (!manifest.ok) throw notPublishable(manifest.problems)
  const parts = new Map<string, Part>()
  for (const [key, split] of splitParts) {
    const part = parsePart({ $type: 'place.sitehost.subfs', ...split, createdAt })
    if (!part.ok) throw notPublishable(part.problems)
    parts.set(key, part.part)
  }
  return { manifest: manifest.manifest, parts }
}

const notPublishable = ([problem]: readonly string[]): NotPublishableError =>
  new NotPublishableError(`${problem}. Nothing was published.`)
