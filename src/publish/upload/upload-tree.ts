import { timeSlices } from '#concurrency/yield-event-loop.ts'
import type { SiteLimits } from '#site/limits.ts'
import { directoryDepthMax, manifestFilesMax } from '#site/limits.ts'
import { describeBadPath, parseSitePath, type SitePath } from '#site/path.ts'
import { treeProblems } from '#site/record/tree.ts'
import { type IgnoreRules, IgnoreStepsError, parseIgnoreRules } from '#site/upload/ignore-rules.ts'
import { ignoreFileName, isLeftOut, sharedRoot } from '#site/upload/upload-path.ts'
import { type SpooledFile, type SpoolFolder, SpoolLimitError } from './spool-folder.ts'
import { invalid, megabytes, quoted, tooLarge } from '#site/upload/upload-refusal.ts'

export interface UploadedFile extends SpooledFile {
  readonly path: SitePath
}

export interface SkippedFile {
  readonly name: string
  readonly reason: string
}

/** A file as it arrives, from a form or an archive. */
export interface IncomingFile {
  readonly name: string
  readonly content: AsyncIterable<Uint8Array>
  /** Its size, where that is known before. */
  readonly bytes?: number
  /** Why it cannot be published unless it is left out anyway, as in `"a" is a symbolic link`. */
  readonly problem?: string | null
}

const skippedListedBytesMax = 256 * 1024

/** Clients that follow the job get the first entries of this list and the number of further ones. */
function shortened(skipped: readonly SkippedFile[]): readonly SkippedFile[] {
  let bytes = 0
  const fitting = skipped.findIndex(({ name }) => {
    bytes += Buffer.byteLength(name)
    return bytes > skippedListedBytesMax
  })
  if (fitting === -1) return skipped
  const rest = { name: `${skipped.length - fitting} more`, reason: 'left out as well' }
  return [...skipped.slice(0, fitting), rest]
}

/** A site's own depth, and the folder that its files may share. */
const uploadDepthMax = directoryDepthMax + 1

/** The rules of an upload, and the folder that its paths begin with. */
interface RootRules extends IgnoreRules {
  readonly path: string
  readonly top: string
}

/**
 * The files of an upload as they come: each is checked by its name before its content is read, and one
 * that is left out is never written. All methods throw UploadRefusedError.
 */
export class UploadTree {
  readonly #folder: SpoolFolder
  readonly #limits: SiteLimits
  readonly #names = new Set<string>()
  readonly #files = new Map<string, UploadedFile>()
  readonly #skipped: SkippedFile[] = []
  #folders = new Set<string>()
  #rules: RootRules | null = null
  #totalBytes = 0
  readonly #yieldWhenDue = timeSlices()

  constructor(folder: SpoolFolder, limits: SiteLimits) {
    this.#folder = folder
    this.#limits = limits
  }

  /** Null for a file that is left out. */
  async add({ name, content, bytes, problem }: IncomingFile): Promise<UploadedFile | null> {
    await this.#yieldWhenDue()
    const path = this.#admit(name)
    const reason = isLeftOut(path) ?? this.#leftOutByRules(path)
    if (reason !== null) {
      this.#skipped.push({ name: path, reason })
      return null
    }
    if (problem) throw invalid(`${quoted(path)} ${problem}, which cannot be published.`)
    this.#noteFolders(path)
    if (this.#count() >= manifestFilesMax) throw tooManyFiles()
    const file = { path, ...(await this.#spool(path, content, bytes)) }
    this.#files.set(path, file)
    return file
  }

  /** Whether the file at this path has the rules for all, as far as the files so far can tell. */
  isIgnoreFile(path: string): boolean {
    if (this.#rules !== null || !path.endsWith(ignoreFileName)) return false
    return path === topOf(sharedRoot(this.#files.keys())) + ignoreFileName
  }

  /** Takes the rules to heart: files that came before and match are left out after all. */
  async ignoreBy(path: string, text: string): Promise<void> {
    const top = path.slice(0, -ignoreFileName.length)
    this.#rules = { path, top, ...parseIgnoreRules(text) }
    for (const file of [...this.#files.values()]) {
      await this.#yieldWhenDue()
      const reason = this.#leftOutByRules(file.path)
      if (reason !== null) this.#leaveOut(file, reason)
    }
    this.#folders = new Set([...this.#files.keys()].flatMap(foldersAbove))
  }

  /** The files with their paths in the site. */
  finish(): { files: readonly UploadedFile[]; skippedFiles: readonly SkippedFile[] } {
    const top = this.#rules?.top ?? topOf(sharedRoot(this.#files.keys()))
    const files = [...this.#files.values()]
      .map((file) => ({ ...file, path: file.path.slice(top.length) as SitePath }))
      .filter(({ path }) => path !== ignoreFileName)
    if (files.length === 0) {
      throw invalid('Every file of this upload is one that is left out. Nothing was published.')
    }
    const [problem] = treeProblems(files.map((file) => file.path))
    if (problem !== undefined) throw invalid(`This cannot be a site: ${problem}.`)
    return { files, skippedFiles: [...shortened(this.#skipped), ...problemsOf(this.#rules)] }
  }

  /** Throws for a path that no site can hold, and for one that came before. */
  #admit(name: string): SitePath {
    const path = parseSitePath(name)
    if (path === null) throw invalid(`Bad file path ${quoted(name)}: ${describeBadPath(name)}.`)
    // Before anything is remembered of it: a path of thousands of folders takes their square in memory.
    if (path.split('/', uploadDepthMax + 2).length > uploadDepthMax + 1) {
      throw invalid(`The file ${quoted(path)} is more than ${uploadDepthMax} folders deep.`)
    }
    if (this.#names.has(path)) throw invalid(`The file ${quoted(path)} is there twice.`)
    this.#names.add(path)
    return path
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

  // The folder that seemed to hold everything does not: its rules were not those of the upload.
  #giveUpRules(rules: RootRules, path: SitePath): void {
    if (this.#skipped.some(({ reason }) => reason === ignoreFileName)) {
      throw invalid(
        `${quoted(path)} is not in the folder of ${quoted(rules.path)}, which has left out files ` +
          `already. Put ${ignoreFileName} beside the folders, or send it last.`,
      )
    }
    this.#rules = null
  }

  // Known from the names alone, so it need not wait for the end of the upload.
  #noteFolders(path: SitePath): void {
    if (this.#folders.has(path)) throw fileAndFolder(path)
    for (const folder of foldersAbove(path)) {
      if (this.#files.has(folder)) throw fileAndFolder(folder)
      this.#folders.add(folder)
    }
  }

  #count(): number {
    return this.#files.size - (this.#rules !== null && this.#files.has(this.#rules.path) ? 1 : 0)
  }

  async #spool(
    path: SitePath,
    content: AsyncIterable<Uint8Array>,
    bytes = 0,
  ): Promise<SpooledFile> {
    const { fileBytesMax, siteBytesMax } = this.#limits
    const bytesMax = Math.min(fileBytesMax, siteBytesMax - this.#totalBytes)
    try {
      if (bytes > bytesMax) throw new SpoolLimitError(bytesMax)
      const spooled = await this.#folder.write(content, { bytesMax })
      this.#totalBytes += spooled.bytes
      return spooled
    } catch (error) {
      if (!(error instanceof SpoolLimitError)) throw error
      if (bytesMax < fileBytesMax) throw siteTooLarge(path, siteBytesMax)
      throw tooLarge(`${quoted(path)} is larger than ${megabytes(bytesMax)}.`)
    }
  }

  #leaveOut(file: UploadedFile, reason: string): void {
    this.#files.delete(file.path)
    this.#totalBytes -= file.bytes
    this.#skipped.push({ name: file.path, reason })
  }
}

const topOf = (root: string | null): string => (root === null ? '' : `${root}/`)

function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    folders.push(path.slice(0, at))
  }
  return folders
}

/** Where the owner sees what of the rules was not understood. */
const problemsOf = (rules: RootRules | null): SkippedFile[] =>
  (rules?.problems ?? []).map(({ line, message }) => ({
    name: rules?.path ?? ignoreFileName,
    reason: `line ${line}: ${message}`,
  }))

const tooManyFiles = () =>
  tooLarge(`A site can have at most ${manifestFilesMax} files; this upload has more.`)
const siteTooLarge = (path: string, bytesMax: number) =>
  tooLarge(`This site is larger than ${megabytes(bytesMax)}; it is with ${quoted(path)}.`)
const fileAndFolder = (path: string) =>
  invalid(`${quoted(path)} is both a file and a folder in this upload.`)
