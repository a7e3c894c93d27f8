import type { SiteLimits } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import { type RuleFileName, ruleFileNames } from '#site/upload/path-rules.ts'
import { UploadAdmission } from '#site/upload/upload-admission.ts'
import { UploadRefusedError } from '#site/upload/upload-refusal.ts'
import type { FolderFile, FolderListing, LeftOut } from './folder-listing.ts'

export interface ChosenFile extends FolderFile {
  readonly path: SitePath
}

/** What the folder's files of rules leave out, each as the lines of a `.sitehostignore`; empty without one. */
export type FolderRules = Readonly<Record<RuleFileName, string>>

export const noRules: FolderRules = { '.sitehostignore': '', 'sitehost.json': '' }

export interface FolderChoice {
  readonly files: readonly ChosenFile[]
  readonly leftOut: readonly LeftOut[]
  /** Invalid rules. */
  readonly problems: readonly string[]
  /** Why publishing rejects these files, in sentences. */
  readonly refusals: readonly string[]
}

/** Chooses the files that publishing takes; also if it rejects them, except for paths that no site can have. */
export function chooseFiles(
  listing: FolderListing,
  rules: FolderRules,
  limits: SiteLimits,
): FolderChoice {
  if (listing.files.length + listing.leftOut.length === 0) {
    return { files: [], leftOut: [], problems: [], refusals: [emptyFolder] }
  }
  try {
    return admit(listing, rules, limits)
  } catch (error) {
    if (!(error instanceof UploadRefusedError)) throw error
    // The rules take too long: they have no effect, instead of one on the first files only.
    const choice = admit(listing, noRules, limits)
    return { ...choice, refusals: [error.message, ...choice.refusals] }
  }
}

const emptyFolder =
  'The folder is empty. Nothing was published; name the folder that the finished site is in.'

function admit(listing: FolderListing, rules: FolderRules, limits: SiteLimits): FolderChoice {
  // A limit that many files exceed is one problem.
  const refusals = new Set<string>()
  const admission = new UploadAdmission<ChosenFile>(limits, ({ message }) => refusals.add(message))
  for (const name of ruleFileNames) {
    for (const _ of admission.ignoreBy(name, name, rules[name]));
  }
  const links: LeftOut[] = []
  for (const file of listing.files) {
    const path = admission.admit(file.path)
    if (path === null) continue
    const reason = file.target === undefined ? null : admission.reasonAgainst(file.target)
    if (reason === null) admission.add({ ...file, path })
    else links.push({ path, reason: `a link to a skipped file: ${reason}` })
  }
  const { files, skippedFiles, ruleProblems } = admission.finish()
  return {
    files,
    leftOut: [
      ...listing.leftOut,
      ...links,
      ...skippedFiles.map(({ name: path, reason }) => ({ path, reason })),
    ],
    problems: ruleProblems.map(({ name, reason }) => `${name}, ${reason}`),
    refusals: [...refusals],
  }
}
