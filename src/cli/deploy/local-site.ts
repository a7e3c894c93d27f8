import { CommandError } from '#cli/command-error.ts'
import { type ChosenFile, chooseFiles } from '#cli/folder/folder-choice.ts'
import { listFolder } from '#cli/folder/folder-listing.ts'
import { readFolderRules } from '#cli/folder/folder-rules.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteName } from '#site/site-name.ts'

/** A folder as it is published. */
export interface LocalSite {
  readonly files: readonly ChosenFile[]
  /** Of its `sitehost.json`; null: it names none. */
  readonly site: SiteName | null
  /** Fields to set; null: none. */
  readonly settings: SiteSettings | null
  /** Files that are not published. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[]
  /** Rules without effect. */
  readonly problems: readonly string[]
}

/** Throws FolderError for a folder that cannot be read, CommandError for one that cannot be published. */
export async function readLocalSite(folder: string, limits: SiteLimits): Promise<LocalSite> {
  const listing = await listFolder(folder)
  const { rules, site, settings, problem } = await readFolderRules(listing)
  if (problem !== null) throw new CommandError(problem)
  const { files, leftOut, problems, refusals } = chooseFiles(listing, rules, limits)
  if (refusals.length > 0) throw new CommandError(refusals)
  return { files, site, settings, leftOut, problems }
}
