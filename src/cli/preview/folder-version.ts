import { readRuleFiles } from '#ingest/read-rule-files.ts'
import { startOf } from '#publish/upload/start-of.ts'
import type { SiteLimits } from '#site/limits.ts'
import { ignoreFileBytesMax, siteFileBytesMax } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { ignoreFileName, siteFileName } from '#site/upload/path-rules.ts'
import { parseSiteFile } from '#site/upload/site-file.ts'
import { uploadBytesMax, uploadTooLarge } from '#site/upload/upload-refusal.ts'
import { encodeSnapshot, type Snapshot, snapshotSizeProblem } from '#site/visit/snapshot.ts'
import { chooseFiles, type FolderChoice } from './folder-choice.ts'
import { contentOf } from './folder-content.ts'
import type { FolderListing, LeftOut } from './folder-listing.ts'
import { PreviewError } from './preview-error.ts'
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
 * Reads a folder as publishing and ingest would. Mistakes in it are problems. Throws PreviewError if it is larger
 * than any site may be.
 */
export async function readFolderVersion(
  listing: FolderListing,
  { stored, settings: ownSettings, limits, now, signal }: VersionContext,
): Promise<FolderVersion> {
  const siteFile = await siteFileOf(listing)
  const { ignore } = siteFile
  const ignoreText = await textOf(listing, ignoreFileName, ignoreFileBytesMax)
  const ignoreRules = { '.sitehostignore': ignoreText, 'sitehost.json': ignore.join('\n') }
  const choice = chooseFiles(listing, ignoreRules, limits)
  assertCopyable(choice, limits)
  const settings = ownSettings ?? siteFile.settings
  const { files, leftOut } = await stored.store(choice.files, signal)
  const { problems, ...rules } = await readRuleFiles(files, settings, stored.blobs)
  const snapshot = { ...placeholders, publishedAt: now(), settings, ...rules, files }
  return {
    snapshot,
    leftOut: [...choice.leftOut, ...leftOut],
    problems: [...siteFile.problems, ...choice.problems, ...problems, ...sizeProblem(snapshot)],
  }
}

/** Placeholders for the owner and the record of a published site. */
const placeholders = {
  did: 'did:web:preview.invalid' as Did,
  name: 'preview' as SiteName,
  recordCid: 'preview',
}

// Without the rules, ignored secrets could be shown: throws if they cannot be read.
async function textOf({ files }: FolderListing, name: string, bytesMax: number): Promise<string> {
  const file = files.find(({ path }) => path === name)
  return file === undefined ? '' : await startOf(contentOf(file), bytesMax + 1)
}

/** An invalid one has no effect, and is a problem. */
async function siteFileOf(listing: FolderListing) {
  const text = await textOf(listing, siteFileName, siteFileBytesMax)
  const parsed = parseSiteFile(text === '' ? '{}' : text)
  if (parsed.ok) return { ...parsed.file, problems: [] }
  const problem = `publishing would refuse this: ${siteFileName}, ${parsed.problem}.`
  return { settings: null, ignore: [], problems: [problem] }
}

// The preview serves a copy, and the disk may be small.
function assertCopyable({ files }: FolderChoice, limits: SiteLimits): void {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  if (bytes > uploadBytesMax(limits)) throw new PreviewError(uploadTooLarge(limits).message)
}

function sizeProblem(snapshot: Snapshot): string[] {
  const problem = snapshotSizeProblem(encodeSnapshot(snapshot))
  return problem === null ? [] : [`this would not go live: ${problem}`]
}
