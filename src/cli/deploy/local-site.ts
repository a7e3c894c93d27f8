import { realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { relative } from 'node:path'
import { CommandError } from '#cli/command-error.ts'
import { findCredentials } from '#cli/folder/credentials.ts'
import { type ChosenFile, chooseFiles } from '#cli/folder/folder-choice.ts'
import { type LeftOut, leadsOut, listFolder } from '#cli/folder/folder-listing.ts'
import { readFolderRules } from '#cli/folder/folder-rules.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { SiteName } from '#site/site-name.ts'

/** A folder as it is published. */
export interface LocalSite {
  readonly files: readonly ChosenFile[]
  /** Of its `sitehost.json`; null: it names none. */
  readonly site: SiteName | null
  /** The address of a Sitehost, of its `sitehost.json`; null: it names none. */
  readonly instance: string | null
  /** Fields to set; null: none. */
  readonly settings: SiteSettings | null
  /** Files that are not published, and why. */
  readonly leftOut: readonly LeftOut[]
  /** Rules without effect. */
  readonly problems: readonly string[]
}

/** What may be published only by somebody who says so. */
export interface Allowed {
  /** The home folder, or one that it is in. */
  readonly allowHome?: true
  /** Files that look like credentials. */
  readonly allowCredentials?: true
}

/** Throws FolderError for a folder that cannot be read, CommandError for one that cannot be published. */
export async function readLocalSite(
  folder: string,
  limits: SiteLimits,
  { allowHome, allowCredentials }: Allowed = {},
): Promise<LocalSite> {
  if (!allowHome) await refuseHome(folder)
  const listing = await listFolder(folder)
  const { instance, rules, site, settings, problem } = await readFolderRules(listing)
  if (problem !== null) throw new CommandError(problem)
  const { files, leftOut, problems, refusals } = chooseFiles(listing, rules, limits)
  if (refusals.length > 0) throw new CommandError(refusals)
  if (!allowCredentials) await refuseCredentials(files)
  return { files, site, instance, settings, leftOut, problems }
}

async function refuseHome(folder: string): Promise<void> {
  // A folder that is not there is reported by the listing.
  const [root, home] = await Promise.all(
    [folder, homedir()].map((path) => realpath(path).catch(() => null)),
  )
  if (root === null || home === null || root === undefined || home === undefined) return
  if (leadsOut(relative(root, home))) return
  const is = root === home ? 'is your home folder' : 'has your home folder in it'
  throw new CommandError(
    `${root} ${is}, and everybody could read all of it. Name the folder with the finished site, or repeat with --allow-home.`,
  )
}

const namedMax = 5

async function refuseCredentials(files: readonly ChosenFile[]): Promise<void> {
  const found = await findCredentials(files)
  if (found.length === 0) return
  const named = found.slice(0, namedMax).join(', ')
  const more = found.length > namedMax ? ` and ${found.length - namedMax} more` : ''
  throw new CommandError([
    `These files look like passwords or keys, and everybody could read them: ${named}${more}.`,
    'Name them in .sitehostignore, or repeat with --allow-credentials. Nothing was published.',
  ])
}
