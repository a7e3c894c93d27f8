import { startOf } from '#publish/upload/start-of.ts'
import { ignoreFileBytesMax, siteFileBytesMax } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteName } from '#site/site-name.ts'
import { ignoreFileName, siteFileName } from '#site/upload/path-rules.ts'
import { parseSiteFile } from '#site/upload/site-file.ts'
import type { FolderRules } from './folder-choice.ts'
import { contentOf } from './folder-content.ts'
import { FolderError } from './folder-error.ts'
import type { FolderListing } from './folder-listing.ts'

/** What a folder says of itself in its `sitehost.json` and `.sitehostignore`. */
export interface ReadRules {
  readonly rules: FolderRules
  /** Null: it names none. */
  readonly site: SiteName | null
  /** The address of a Sitehost; null: it names none. */
  readonly instance: string | null
  /** Fields to set; null: none. */
  readonly settings: SiteSettings | null
  /** What is wrong with its `sitehost.json`, which then has no effect; null: nothing. */
  readonly problem: string | null
}

/** Throws FolderError for rules that cannot be read: without them, ignored secrets would be published. */
export async function readFolderRules(listing: FolderListing): Promise<ReadRules> {
  const text = await textOf(listing, siteFileName, siteFileBytesMax)
  const parsed = parseSiteFile(text === '' ? '{}' : text)
  const { instance, site, settings, ignore } = parsed.ok ? parsed.file : nothing
  const ignoreText = await textOf(listing, ignoreFileName, ignoreFileBytesMax)
  return {
    rules: { '.sitehostignore': ignoreText, 'sitehost.json': ignore.join('\n') },
    site,
    instance,
    settings,
    problem: parsed.ok ? null : `${siteFileName}, ${parsed.problem}.`,
  }
}

const nothing = { site: null, instance: null, settings: null, ignore: [] }

async function textOf(
  { files, leftOut }: FolderListing,
  name: string,
  bytesMax: number,
): Promise<string> {
  if (leftOut.some(({ path }) => path === name)) {
    throw new FolderError(
      `${name} cannot be read: put a file there, not a link that leads out of the folder.`,
    )
  }
  const file = files.find(({ path }) => path === name)
  return file === undefined ? '' : await startOf(contentOf(file), bytesMax + 1)
}
