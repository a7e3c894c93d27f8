import { chooseFiles, type FolderChoice } from '#cli/folder/folder-choice.ts'
import { FolderError } from '#cli/folder/folder-error.ts'
import type { FolderListing, LeftOut } from '#cli/folder/folder-listing.ts'
import { readFolderRules } from '#cli/folder/folder-rules.ts'
import { startPageWarning } from '#cli/folder/start-page-warning.ts'
import { readRuleFiles } from '#ingest/read/read-rule-files.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { uploadBytesMax, uploadTooLarge } from '#site/upload/upload-refusal.ts'
import { encodeSnapshot, type Snapshot, snapshotSizeProblem } from '#site/visit/snapshot.ts'
import type { StoredFiles } from './stored-files.ts'

/** A folder as a site, at one moment. */
export interface FolderVersion {
  readonly snapshot: Snapshot
  readonly leftOut: readonly LeftOut[]
  readonly problems: readonly string[]
}

interface VersionContext {
  readonly stored: StoredFiles
  /** In place of those in the folder's `sitehost.json`. */
  readonly settings: SiteSettings | null
  readonly limits: SiteLimits
  readonly now: () => number
  readonly signal: AbortSignal
}

/**
 * Reads a folder as publishing and ingest would. Mistakes in it are problems. Throws FolderError if it is larger
 * than any site may be.
 */
export async function readFolderVersion(
  listing: FolderListing,
  { stored, settings: ownSettings, limits, now, signal }: VersionContext,
): Promise<FolderVersion> {
  const own = await readFolderRules(listing)
  const choice = chooseFiles(listing, own.rules, limits)
  assertCopyable(choice, limits)
  const settings = ownSettings ?? own.settings
  const { files, leftOut } = await stored.store(choice.files, signal)
  const { problems, ...rules } = await readRuleFiles(files, settings, stored.blobs)
  const snapshot = { ...placeholders, publishedAt: now(), settings, ...rules, files }
  const readable = choice.files.filter(({ path }) => files.has(path))
  const startPage = startPageWarning(readable, settings)
  return {
    snapshot,
    leftOut: [...choice.leftOut, ...leftOut],
    problems: [
      ...(own.problem === null ? [] : [own.problem]).map(refused),
      ...choice.problems,
      ...choice.refusals.map(refused),
      ...problems,
      ...(startPage === null ? [] : [startPage]),
      ...sizeProblem(snapshot),
    ],
  }
}

const refused = (sentence: string): string => `publishing would refuse this: ${sentence}`

/** Placeholders for the owner and the record of a published site. */
const placeholders = {
  did: 'did:web:preview.invalid' as Did,
  name: 'preview' as SiteName,
  recordCid: 'preview',
}

// The preview serves a copy, and the disk may be small.
function assertCopyable({ files }: FolderChoice, limits: SiteLimits): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > uploadBytesMax(limits)) throw new FolderError(uploadTooLarge(limits).message)
}

function sizeProblem(snapshot: Snapshot): string[] {
  const problem = snapshotSizeProblem(encodeSnapshot(snapshot))
  return problem === null ? [] : [`this would not go live: ${problem}`]
}
