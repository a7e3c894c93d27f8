import { limitText } from '#site/byte-text.ts'
import type { SiteLimits } from '#site/limits.ts'
import { directoryDepthMax, siteFilesMax } from '#site/limits.ts'
import { describeBadPath, foldersAbove, parseSitePath, type SitePath } from '#site/path.ts'
import { treeProblems } from '#site/tree-problems.ts'
import { type IgnoreRules, IgnoreStepsError, parseIgnoreRules } from './ignore-rules.ts'
import {
  type RuleFileName,
  ruleFileNames,
  sharedRoot,
  siteFileName,
  skipReason,
} from './path-rules.ts'
import { invalid, quoted, tooLarge, type UploadRefusedError } from './upload-refusal.ts'

interface SizedFile {
  readonly path: SitePath
  readonly bytes: number
}

export interface SkippedFile {
  readonly name: string
  readonly reason: string
}

/** A file of rules, which may leave out others, and the folder that the upload's paths begin with. */
interface RootRules extends IgnoreRules {
  readonly path: string
  readonly top: string
  /** Without the folder; the reason for which files are left out. */
  readonly name: RuleFileName
}

interface NamedFiles<File> {
  readonly files: readonly File[]
  readonly skippedFiles: readonly SkippedFile[]
  /** The `sitehost.json` at the root. */
  readonly siteFile: File | null
}

interface FinishedUpload<File> {
  readonly files: File[]
  readonly skippedFiles: readonly SkippedFile[]
  readonly ruleProblems: SkippedFile[]
  /** A `sitehost.json` was at the root. */
  readonly hasSiteFile: boolean
}

/** A site's own depth, and the folder that its files may share. */
const uploadDepthMax = directoryDepthMax + 1

/**
 * Decides which files of an upload make the site, for the service and for the local preview: by its name before a
 * file is read, by its size as soon as that is known. `refuse` gets every reason to refuse the upload; it may throw
 * to stop at the first.
 */
export class UploadAdmission<File extends SizedFile> {
  readonly #limits: SiteLimits
  readonly #refuse: (refusal: UploadRefusedError) => void
  readonly #names = new Set<string>()
  readonly #files = new Map<string, File>()
  readonly #skipped: SkippedFile[] = []
  #folders = new Set<string>()
  #rules: readonly RootRules[] = []
  #totalBytes = 0

  constructor(limits: SiteLimits, refuse: (refusal: UploadRefusedError) => void) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Null for a file that is left out, and for a path that no site can hold. `problem`: see `ArchiveEntry`. */
  admit(name: string, problem: string | null = null): SitePath | null {
    const path = this.#parse(name)
    if (path === null) return null
    const reason = this.reasonAgainst(path)
    if (reason !== null) {
      this.#skipped.push({ name: path, reason })
      return null
    }
    if (problem) this.#refuseInvalid(`${quoted(path)} ${problem}, which cannot be published.`)
    this.#noteFolders(path)
    // The rules are not part of the site.
    const ruleFiles = this.#rules.filter((rules) => this.#files.has(rules.path)).length
    const filesMax = this.#limits.siteFilesMax ?? siteFilesMax
    if (this.#files.size - ruleFiles >= filesMax) this.#refuse(tooManyFiles(filesMax))
    return path
  }

  /** Why a file at this path is left out, for a link to it; null if it is not. Throws as `admit`. */
  reasonAgainst(path: string): string | null {
    return skipReason(path) ?? this.#leftOutByRules(path)
  }

  /** How many bytes the next file may have. */
  get bytesMax(): number {
    const { fileBytesMax, siteBytesMax } = this.#limits
    return Math.min(fileBytesMax, siteBytesMax - this.#totalBytes)
  }

  /** Refuses a file that is larger than that. */
  checkSize({ path, bytes }: SizedFile): void {
    const { fileBytesMax, siteBytesMax } = this.#limits
    const leftBytes = siteBytesMax - this.#totalBytes
    if (bytes > fileBytesMax) {
      this.#refuse(tooLarge(`${quoted(path)} is larger than ${limitText(fileBytesMax)}.`))
    }
    // Refused once: after that, `leftBytes` is negative.
    if (bytes > leftBytes && leftBytes >= 0) {
      const size = limitText(siteBytesMax)
      this.#refuse(tooLarge(`This site is larger than ${size}: ${quoted(path)} no longer fits.`))
    }
  }

  /** Adds a file that was admitted, once its size is known. */
  add(file: File): void {
    this.checkSize(file)
    this.#files.set(file.path, file)
    this.#totalBytes += file.bytes
  }

  /** Which rules the file at this path holds, as far as the files so far show; null: none. */
  ruleFileAt(path: string): RuleFileName | null {
    const name = ruleFileNames.find((each) => path.endsWith(each))
    if (name === undefined || this.#rules.some((rules) => rules.name === name)) return null
    return path === topOf(sharedRoot(this.#files.keys())) + name ? name : null
  }

  /**
   * Applies these rules of the file at `path`, also to the files so far. Yields before each of them: many rules and
   * files take longer than a thread should be held. `admit` and this throw an UploadRefusedError for rules that take too
   * long.
   */
  *ignoreBy(path: string, name: RuleFileName, text: string): Generator<void> {
    const top = path.slice(0, -name.length)
    this.#rules = [...this.#rules, { path, top, name, ...parseIgnoreRules(text) }]
    for (const file of [...this.#files.values()]) {
      yield
      const reason = this.#leftOutByRules(file.path)
      if (reason === null) continue
      this.#files.delete(file.path)
      this.#totalBytes -= file.bytes
      this.#skipped.push({ name: file.path, reason })
    }
    this.#folders = new Set([...this.#files.keys()].flatMap(foldersAbove))
  }

  /** Checks all files together. Returns them with their paths in the site; `ruleProblems` are invalid lines of the rules. */
  finish(): FinishedUpload<File> {
    const top = this.#rules[0]?.top ?? topOf(sharedRoot(this.#files.keys()))
    const files = [...this.#files.values()]
      .map((file) => ({ ...file, path: file.path.slice(top.length) as SitePath }))
      .filter(({ path }) => !isRuleFile(path))
    if (files.length === 0) this.#refuseInvalid(nothingLeft)
    for (const problem of treeProblems(files.map(({ path }) => path))) {
      this.#refuseInvalid(`This cannot be a site: ${problem}.`)
    }
    const ruleProblems = this.#rules.flatMap(({ name, problems }) =>
      problems.map(({ line, message }) => ({
        name: top + name,
        reason: `line ${line}: ${message}`,
      })),
    )
    const hasSiteFile = this.#rules.some(({ name }) => name === siteFileName)
    return { files, skippedFiles: this.#skipped, ruleProblems, hasSiteFile }
  }

  /** The files whose paths are those in the site already: none is shortened. There may be none. */
  get filesAsNamed(): NamedFiles<File> {
    const files = [...this.#files.values()].filter(({ path }) => !isRuleFile(path))
    return { files, skippedFiles: this.#skipped, siteFile: this.#files.get(siteFileName) ?? null }
  }

  #parse(name: string): SitePath | null {
    const path = parseSitePath(name)
    if (path === null) {
      return this.#refuseInvalid(`Bad file path ${quoted(name)}: ${describeBadPath(name)}.`)
    }
    // Before it is stored: a path of thousands of folders takes their square in memory.
    if (path.split('/', uploadDepthMax + 2).length > uploadDepthMax + 1) {
      return this.#refuseInvalid(
        `The file ${quoted(path)} is more than ${uploadDepthMax} folders deep.`,
      )
    }
    if (this.#names.has(path))
      return this.#refuseInvalid(`The file ${quoted(path)} is there twice.`)
    this.#names.add(path)
    return path
  }

  #refuseInvalid(message: string): null {
    this.#refuse(invalid(message))
    return null
  }

  #leftOutByRules(path: string): string | null {
    if (this.#rules.some((rules) => path === rules.path)) return null
    const rules = this.#rules.find((rules) => this.#leavesOut(rules, path))
    return rules?.name ?? null
  }

  #leavesOut(rules: RootRules, path: string): boolean {
    if (!path.startsWith(rules.top)) {
      this.#giveUpRules(rules, path)
      return false
    }
    try {
      return rules.isIgnored(path.slice(rules.top.length))
    } catch (error) {
      if (!(error instanceof IgnoreStepsError)) throw error
      throw invalid(`The rules in ${quoted(rules.path)} take too long. Make them fewer.`, error)
    }
  }

  // The upload has files outside this folder, so the folder's rules do not apply to the upload.
  #giveUpRules({ path: rulesPath, name }: RootRules, path: string): void {
    if (this.#skipped.some(({ reason }) => reason === name)) {
      this.#refuseInvalid(
        `${quoted(path)} is not in the folder of ${quoted(rulesPath)}, which has left out files ` +
          `already. Put ${name} next to the folders, or send it last.`,
      )
    }
    this.#rules = this.#rules.filter((rules) => rules.name !== name)
  }

  // Names alone show a conflict, long before the end of the upload.
  #noteFolders(path: SitePath): void {
    if (this.#folders.has(path)) this.#refuseInvalid(fileAndFolder(path))
    for (const folder of foldersAbove(path)) {
      if (this.#files.has(folder)) this.#refuseInvalid(fileAndFolder(folder))
      this.#folders.add(folder)
    }
  }
}

const isRuleFile = (path: string): boolean => ruleFileNames.some((name) => name === path)

const topOf = (root: string | null): string => (root === null ? '' : `${root}/`)

export const nothingLeft =
  'Every file of this upload is one that is left out. Nothing was published.'
const tooManyFiles = (filesMax: number) =>
  tooLarge(`A site can have at most ${filesMax.toLocaleString('en')} files; this upload has more.`)
const fileAndFolder = (path: string) =>
  `${quoted(path)} is both a file and a folder in this upload.`
