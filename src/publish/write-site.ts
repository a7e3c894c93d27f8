import { setTimeout } from 'node:timers/promises'
import {
  ServerRefusedError,
  ServerUnreachableError,
  UnusableAnswerError,
} from '#atproto/repo/account-repo.ts'
import type { SitePath } from '#site/path.ts'
import { type FileNode, type Manifest, parseManifest } from '#site/record/manifest.ts'
import { type Part, parsePart } from '#site/record/part.ts'
import { planWrites, type WritePlan } from '#site/record/plan-writes.ts'
import { type SplitTree, splitTree } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import { type SiteAddress, siteUri } from '#site/site-address.ts'
import { type RepositoryState, readRepository } from './account-records.ts'
import { commitSite, SiteConflictError } from './commit-site.ts'
import { NotPublishableError } from './not-publishable.ts'
import type { PublishContext } from './publish-context.ts'
import { withPatience } from './server-patience.ts'

/** The main record as it is in the repository. */
export interface WrittenSite {
  readonly uri: string
  readonly cid: string
}

/** The server broke off during the commit, or gave an answer that does not tell: nobody can tell from here whether it was made. */
export class CommitUnknownError extends Error {
  override readonly name = 'CommitUnknownError'
  readonly site: SiteAddress

  constructor(site: SiteAddress, options?: ErrorOptions) {
    super(`commit not answered; site=${siteUri(site)}`, options)
    this.site = site
  }
}

const isUnanswered = (error: unknown): boolean =>
  error instanceof ServerUnreachableError ||
  error instanceof UnusableAnswerError ||
  (error instanceof ServerRefusedError && error.status >= 500)

type WriteContext = Pick<PublishContext, 'repo' | 'now' | 'signal' | 'at'>

/** Other programs may write to the same repository; after so many of them in a row we stop racing them. */
const racesMax = 6
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
  for (let races = 0; ; races++) {
    const plan = planWrites(address, version, repository)
    const current = mainCid(address, repository)
    // Also when the answer to our own commit was lost on its way.
    if (isDone(plan) && current !== null) return { uri: siteUri(address), cid: current }
    // One that says the same is ours, whose answer we missed.
    if (plan.putMain && current !== replaces) throw new SiteConflictError(address)
    at('before-commit')
    // In order, only a change of this very site is in the way.
    const head = races < racesMax ? repository.head : null
    const outcome = await withPatience(
      () => commitSite(address, { ...records, plan, replaces: current }, { head, repo, at }),
      { now, signal },
    ).catch((error) => {
      throw isUnanswered(error) ? new CommitUnknownError(address, { cause: error }) : error
    })
    at('after-commit')
    if (outcome.committed) return { uri: outcome.uri, cid: outcome.cid }
    await setTimeout(commitDelayMs * 2 ** races * Math.random(), undefined, {
      signal,
    })
    repository = await withPatience(() => readRepository(repo), { now, signal })
  }
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
