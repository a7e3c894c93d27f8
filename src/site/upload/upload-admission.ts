import type { SiteLimits } from '#site/limits.ts'
import { directoryDepthMax, siteFilesMax } from '#site/limits.ts'
import { describeBadPath, foldersAbove, parseSitePath, type SitePath } from '#site/path.ts'
import { treeProblems } from '#site/tree-problems.ts'
import { type IgnoreRules, IgnoreStepsError, parseIgnoreRules } from './ignore-rules.ts'
import { ignoreFileName, sharedRoot, skipReason } from './path-rules.ts'
import { invalid, megabytes, quoted, tooLarge, type UploadRefusedError } from './upload-refusal.ts'

interface SizedFile {
  readonly path: SitePath
  readonly bytes: number
}

export interface SkippedFile {
  readonly name: string
  readonly reason: string
}

/** The rules of an upload, and the folder that its paths begin with. */
interface RootRules extends IgnoreRules {
  readonly path: string
  readonly top: string
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
  #rules: RootRules | null = null
  #totalBytes = 0

  constructor(limits: SiteLimits, refuse: (refusal: UploadRefusedError) => void) {
    this.#limits = limits
    this.#refuse = refuse
  }

  /** Null for a file that is left out, and for a path that no site can hold. `problem`: see `ArchiveEntry`. */
  admit(name: string, problem: string | null = null): SitePath | null {
    const path = this.#parse(name)
    if (path === null) return null
    const reason = skipReason(path) ?? this.#leftOutByRules(path)
    if (reason !== null) {
      this.#skipped.push({ name: path, reason })
      return null
    }
    if (problem) this.#refuseInvalid(`${quoted(path)} ${problem}, which cannot be published.`)
    this.#noteFolders(path)
    // The rules are not part of the site.
    const ruleFiles = this.#rules !== null && this.#files.has(this.#rules.path) ? 1 : 0
    const filesMax = this.#limits.siteFilesMax ?? siteFilesMax
    if (this.#files.size - ruleFiles >= filesMax) this.#refuse(tooManyFiles(filesMax))
    return path
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
      this.#refuse(tooLarge(`${quoted(path)} is larger than ${megabytes(fileBytesMax)}.`))
    }
    // Refused once: after that, `leftBytes` is negative.
    if (bytes > leftBytes && leftBytes >= 0) {
      const size = megabytes(siteBytesMax)
      this.#refuse(tooLarge(`This site is larger than ${size}: ${quoted(path)} no longer fits.`))
    }
  }

  /** Adds a file that was admitted, once its size is known. */
  add(file: File): void {
    this.checkSize(file)
    this.#files.set(file.path, file)
    this.#totalBytes += file.bytes
  }

  /** Whether the file at this path holds the upload's rules, as far as the files so far show. */
  isIgnoreFile(path: string): boolean {
    if (this.#rules !== null || !path.endsWith(ignoreFileName)) return false
    return path === topOf(sharedRoot(this.#files.keys())) + ignoreFileName
  }

  /**
   * Applies these rules, also to the files so far. Yields before each of them: many rules and files take longer than
   * a thread should be held. `admit` and this throw an UploadRefusedError for rules that take too long.
   */
  *ignoreBy(path: string, text: string): Generator<void> {
    const top = path.slice(0, -ignoreFileName.length)
    this.#rules = { path, top, ...parseIgnoreRules(text) }
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
  finish(): { files: File[]; skippedFiles: readonly SkippedFile[]; ruleProblems: SkippedFile[] } {
    const top = this.#rules?.top ?? topOf(sharedRoot(this.#files.keys()))
    const files = [...this.#files.values()]
      .map((file) => ({ ...file, path: file.path.slice(top.length) as SitePath }))
      .filter(({ path }) => path !== ignoreFileName)
    if (files.length === 0) this.#refuseInvalid(nothingLeft)
    for (const problem of treeProblems(files.map(({ path }) => path))) {
      this.#refuseInvalid(`This cannot be a site: ${problem}.`)
    }
    const ruleProblems = (this.#rules?.problems ?? []).map(({ line, message }) => ({
      name: top + ignoreFileName,
      reason: `line ${line}: ${message}`,
    }))
    return { files, skippedFiles: this.#skipped, ruleProblems }
  }

  /** The files whose paths are those in the site already: none is shortened. There may be none. */
  get filesAsNamed(): { files: readonly File[]; skippedFiles: readonly SkippedFile[] } {
    const files = [...this.#files.values()].filter(({ path }) => path !== ignoreFileName)
    return { files, skippedFiles: this.#skipped }
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

  #leftOutByRules(path: SitePath): string | null {
    const rules = this.#rules
    if (rules === null || path === rules.path) return null
    if (!path.startsWith(rules.top)) {
      this.#giveUpRules(rules, path)
      return null
    }
    try {
      return rules.isIgnored(path.slice(rules.top.length)) ? ignoreFileName : null
    } catch (error) {
      if (!(error instanceof IgnoreStepsError)) throw error
      throw invalid(`The rules in ${quoted(rules.path)} take too long. Make them fewer.`, error)
    }
  }

  // The upload has files outside this folder, so the folder's rules do not apply to the upload.
  #giveUpRules({ path: rulesPath }: RootRules, path: SitePath): void {
    if (this.#skipped.some(({ reason }) => reason === ignoreFileName)) {
      this.#refuseInvalid(
        `${quoted(path)} is not in the folder of ${quoted(rulesPath)}, which has left out files ` +
          `already. Put ${ignoreFileName} next to the folders, or send it last.`,
      )
    }
    this.#rules = null
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

const topOf = (root: string | null): string => (root === null ? '' : `${root}/`)

export const nothingLeft =
  'Every file of this upload is one that is left out. Nothing was published.'
const tooManyFiles = (filesMax: number) =>
  tooLarge(`A site can have at most ${filesMax} files; this upload has more.`)
const fileAndFolder = (path: string) =>
  `${quoted(path)} is both a file and a folder in this upload.`
