import type { Collection, Namespace } from '#site/namespace.ts'
import type { SitePath } from '#site/path.ts'
import { parseForeignSettings } from '#site/record/foreign-settings.ts'
import { type FileNode, type Manifest, parseManifest } from '#site/record/manifest.ts'
import { parsePart } from '#site/record/part.ts'
import type { StoredRecord } from '#site/record/plan-writes.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { namespaceOf, recordKeyOf, type SiteName } from '#site/site-name.ts'
import { settingsForConventions } from '#site/visit/conventions.ts'
import { type RepoContext, SiteConflictError } from './commit-on-head.ts'
import { expandStored } from './expand-stored.ts'
import { NotPublishableError } from './not-publishable.ts'
import type { PublishJob, PublishOutcome } from './publish-site.ts'
import { type RepositoryState, readRepository } from './repository/read-repository.ts'
import { ServerBusyError, withPatience } from './server-patience.ts'
import { mainCid, type WriteContext, writeSite } from './write-site.ts'

/** What is brought over. */
export interface BringOverPlan {
  /** A foreign site of the account. */
  readonly from: SiteName
}

type BringOverJob = Pick<PublishJob, 'beginWriting' | 'rememberExpectedCid' | 'report' | 'version'>

/** Attempts in a row while the repository changes. */
const readingsMax = 3
/** As `readRepository` has them for one's own. */
const partsMax = { recordsMax: 20_000, valuesMax: 400_000 }

/**
 * Makes a site of ours with the files and settings of a foreign one of the same account, in one commit and without uploads:
 * our records name the same blobs. The foreign one stays as it is. Throws NotPublishableError, also when the account has
 * a site of this name, and SiteConflictError when the repository keeps changing.
 */
export async function bringOver(
  address: SiteAddress,
  { from }: BringOverPlan,
  job: BringOverJob,
  context: WriteContext,
): Promise<PublishOutcome> {
  try {
    const { start, files, settings } = await readAtOneHead(address, from, context)
    const expectedCid = await job.rememberExpectedCid(mainCid(address, start))
    if (expectedCid !== null) throw new NotPublishableError(nameTaken(address))
    job.report({ phase: 'creating_manifest', totalFiles: files.size, filesReused: files.size })
    if (!(await job.beginWriting())) return { kind: 'cancelled' }
    const version = job.version && { ...job.version, bytes: null, base: null }
    const change = { kind: 'all', settings } as const
    const onto = { expectedCid, start }
    const written = await writeSite(address, files, onto, context, version, change)
    job.report({ phase: 'finalizing' })
    return { kind: 'published', fileCount: files.size, ...written }
  } catch (error) {
    if (error instanceof ServerBusyError) return { kind: 'busy', retryAt: error.retryAt }
    throw error
  }
}

interface Read {
  readonly start: RepositoryState
  readonly files: ReadonlyMap<SitePath, FileNode>
  readonly settings: SiteSettings | null
}

/** The account's records and the foreign site as they are at one commit. */
async function readAtOneHead(
  address: SiteAddress,
  from: SiteName,
  context: WriteContext,
): Promise<Read> {
  const { now, pause, recentRepositories: recent, repo, signal } = context
  const patience = { now, pause, signal }
  for (let n = 0; n < readingsMax; n++) {
    const start = await withPatience(() => readRepository(repo, address.name, { recent }), patience)
    const foreign = await readForeign({ did: address.did, name: from }, context)
    const head = await withPatience(() => repo.latestCommit(), patience)
    if (head === start.head) return { start, ...foreign }
  }
  throw new SiteConflictError(address)
}

async function readForeign(
  site: SiteAddress,
  { now, pause, repo, signal }: RepoContext,
): Promise<Omit<Read, 'start'>> {
  const patience = { now, pause, signal }
  const namespace = namespaceOf(site.name)
  const find = (collection: Collection) =>
    withPatience(() => repo.findRecord(collection, recordKeyOf(site.name)), patience)
  const manifest = manifestOf(site, (await find(namespace.fs))?.value)
  const list = () => repo.listRecords(namespace.subfs, partsMax)
  const listed = await withPatience(list, patience)
  const parts = new Map(listed.map((record) => [record.rkey, partIn(record, namespace)]))
  const context = { repo, ...patience, signal }
  const expanded = await expandStored(site, manifest.root, { parts }, context, namespace)
  if (!expanded.ok) {
    throw unreadable(expanded.problems[0] ?? `the part ${expanded.missing[0]} is missing`)
  }
  const record = await find(namespace.settings)
  const { settings } = parseForeignSettings(record?.value ?? null)
  const { files } = expanded
  return { files, settings: settingsForConventions(site.name, settings, new Set(files.keys())) }
}

function manifestOf({ name }: SiteAddress, value: unknown): Manifest {
  if (value === undefined) throw new NotPublishableError(siteGone)
  const parsed = parseManifest(value, name)
  if (!parsed.ok) throw unreadable(parsed.problems[0] ?? '')
  return parsed.manifest
}

function partIn(
  { cid, value }: { readonly cid: string; readonly value: unknown },
  namespace: Namespace,
): StoredRecord {
  const parsed = value === null ? null : parsePart(value, namespace)
  return { cid, value, root: parsed?.ok ? parsed.part.root : null }
}

const unreadable = (problem: string): NotPublishableError =>
  new NotPublishableError(`The site cannot be read: ${problem}. Nothing was published.`)
const siteGone =
  'The site that was to be brought over is not in your repository any more. Nothing was published.'
const nameTaken = ({ name }: SiteAddress): string =>
  `You have a site named ${name} already. Choose another name. Nothing was published.`
