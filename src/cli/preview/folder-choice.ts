import { megabytes, quoted } from '#site/upload/upload-refusal.ts'
import type { SiteLimits } from '#site/limits.ts'
import { manifestFilesMax } from '#site/limits.ts'
import { describeBadPath, parseSitePath, type SitePath } from '#site/path.ts'
import { treeProblems } from '#site/record/tree.ts'
import { type IgnoreRules, IgnoreStepsError, parseIgnoreRules } from '#site/upload/ignore-rules.ts'
import { ignoreFileName } from '#site/upload/upload-path.ts'
import type { FolderFile, FolderListing, LeftOut } from './folder-listing.ts'

export interface ChosenFile extends FolderFile {
  readonly path: SitePath
}

export interface FolderChoice {
  readonly files: readonly ChosenFile[]
  readonly leftOut: readonly LeftOut[]
  /** Invalid rules, and why publishing would reject these files. */
  readonly problems: readonly string[]
}

/**
 * Chooses the files that publishing takes. If publishing would reject them, that is a problem and they are shown
 * nevertheless, except for paths that no site can have. `ignoreText` is the folder's `.sitehostignore`, empty if
 * absent.
 */
export function chooseFiles(
  listing: FolderListing,
  ignoreText: string,
  limits: SiteLimits,
): FolderChoice {
  const rules = parseIgnoreRules(ignoreText)
  const { kept, ignored, problem } = obey(rules, listing.files)
  const files = kept.filter(isChosen)
  const refusals = [
    ...(problem === null ? [] : [problem]),
    ...kept.filter((file) => !isChosen(file)).map(badPath),
    ...refusalsOf(files, limits),
  ]
  return {
    files,
    leftOut: [...listing.leftOut, ...ignored],
    problems: [
      ...rules.problems.map(({ line, message }) => `${ignoreFileName}, line ${line}: ${message}`),
      ...refusals.map((refusal) => `publishing would refuse this: ${refusal}`),
    ],
  }
}

interface Obeyed {
  readonly kept: readonly FolderFile[]
  readonly ignored: readonly LeftOut[]
  readonly problem: string | null
}

function obey(rules: IgnoreRules, all: readonly FolderFile[]): Obeyed {
  const files = all.filter(({ path }) => path !== ignoreFileName)
  try {
    const { kept = [], ignored = [] } = Object.groupBy(files, ({ path }) =>
      rules.isIgnored(path) ? 'ignored' : 'kept',
    )
    const leftOut = ignored.map(({ path }) => ({ path, reason: ignoreFileName }))
    return { kept, ignored: leftOut, problem: null }
  } catch (error) {
    if (!(error instanceof IgnoreStepsError)) throw error
    const problem = `the rules in ${ignoreFileName} take too long; they have no effect here`
    return { kept: files, ignored: [], problem }
  }
}

const isChosen = (file: FolderFile): file is ChosenFile => parseSitePath(file.path) !== null

const badPath = ({ path }: FolderFile): string =>
  `bad file path ${quoted(path)}: ${describeBadPath(path)}`

function refusalsOf(files: readonly ChosenFile[], limits: SiteLimits): string[] {
  const { fileBytesMax, siteBytesMax } = limits
  const tooLarge = files.filter(({ bytes }) => bytes > fileBytesMax)
  return [
    ...(files.length === 0 ? ['no file is left to publish'] : []),
    ...(files.length > manifestFilesMax
      ? [`${files.length} files; a site can have at most ${manifestFilesMax}`]
      : []),
    ...(totalBytes(files) > siteBytesMax ? [`in all larger than ${megabytes(siteBytesMax)}`] : []),
    ...tooLarge.map(({ path }) => `${quoted(path)} is larger than ${megabytes(fileBytesMax)}`),
    ...treeProblems(files.map(({ path }) => path)),
  ]
}

export const totalBytes = (files: readonly FolderFile[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0)
