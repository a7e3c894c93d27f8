import { setTimeout } from 'node:timers/promises'
import { type FileNode, type Manifest, parseManifest } from '#site/manifest.ts'
import { type Part, parsePart } from '#site/part.ts'
import type { SitePath } from '#site/path.ts'
import { planWrites, type WritePlan } from '#site/plan-writes.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import { type SplitTree, splitTree } from '#site/split.ts'
import { buildTree } from '#site/tree.ts'
import { type RepositoryState, readRepository } from './account-records.ts'
import { commitSite, SiteConflictError } from './commit-site.ts'
import { NotPublishableError } from './not-publishable.ts'
import type { PublishContext } from './publish-site.ts'
import { withPatience } from './server-patience.ts'

/** The main record as it is in the repository. */
export interface WrittenSite {
  readonly uri: string
  readonly cid: string
}

type WriteContext = Pick<PublishContext, 'repo' | 'now' | 'signal' | 'at'>

/** Other programs may write to the same repository; after so many of them in a row we give up. */
const commitsMax = 12
const commitDelayMs = 20

/**
 * Writes these files as the site, on top of what `start` says the repository holds, in place of the main
 * record `replaces`. Tries again when the repository moved on for another reason. Throws
 * SiteConflictError when the site itself did.
 */
export async function writeSite(
  address: SiteAddress,
  files: ReadonlyMap<SitePath, FileNode>,
  start: RepositoryState,
  context: WriteContext,
  replaces = mainCid(address, start),
): Promise<WrittenSite> {
  const { at, now, repo, signal } = context
  const version = splitTree(buildTree(files), address)
  const records = recordsOf(address, version, files.size, now())
  let repository = start
  for (let attempt = 0; attempt < commitsMax; attempt++) {
    const plan = planWrites(address, version, repository)
    const current = mainCid(address, repository)
    // Also when the answer to our own commit was lost on its way.
    if (isDone(plan) && current !== null) return { uri: siteUri(address), cid: current }
    if (current !== replaces) throw new SiteConflictError(address)
    at('before-commit')
    const { head } = repository
    const outcome = await withPatience(
      () => commitSite(address, { ...records, plan, replaces }, { head, repo, at }),
      { now, signal },
    )
    at('after-commit')
    if (outcome.committed) return { uri: outcome.uri, cid: outcome.cid }
    await setTimeout(commitDelayMs * 2 ** Math.min(attempt, 4) * Math.random(), undefined, {
      signal,
    })
    repository = await withPatience(() => readRepository(repo), { now, signal })
  }
  throw new NotPublishableError(
    'Your repository is being changed all the time by another program. Nothing was published; try again.',
  )
}

/** CID of the site's main record; null when there is none. */
export const mainCid = ({ name }: SiteAddress, { sites }: RepositoryState): string | null =>
  sites.get(name)?.cid ?? null

const isDone = ({ createParts, putMain, deleteParts }: WritePlan): boolean =>
  !putMain && createParts.length === 0 && deleteParts.length === 0

interface SiteRecords {
  readonly manifest: Manifest
  readonly parts: ReadonlyMap<string, Part>
}

// Whatever ingest would refuse must not be written in the first place: it is read as ingest reads it.
function recordsOf(
  address: SiteAddress,
  version: SplitTree,
  fileCount: number,
  now: number,
): SiteRecords {
  const createdAt = new Date(now).toISOString()
  const { root } = version
  const $type = 'place.sitehost.fs'
  const manifest = parseManifest(
    { $type, site: address.name, root, fileCount, createdAt },
    address.name,
  )
  if (!manifest.ok) throw notPublishable(manifest.problems)
  const parts = new Map<string, Part>()
  for (const [key, split] of version.parts) {
    const part = parsePart({ $type: 'place.sitehost.subfs', ...split, createdAt })
    if (!part.ok) throw notPublishable(part.problems)
    parts.set(key, part.part)
  }
  return { manifest: manifest.manifest, parts }
}

const notPublishable = ([problem]: readonly string[]): NotPublishableError =>
  new NotPublishableError(`${problem}. Nothing was published.`)
