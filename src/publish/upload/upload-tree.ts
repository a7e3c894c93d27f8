import { timeSlices } from '#concurrency/yield-event-loop.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { type RuleFileName, siteFileName } from '#site/upload/path-rules.ts'
import { type SkippedFile, UploadAdmission } from '#site/upload/upload-admission.ts'
import type { ArchiveEntry } from './archive-entry.ts'
import { readSiteFile } from './read-site-file.ts'
import { type SpooledFile, type SpoolFolder, SpoolLimitError } from './spool-folder.ts'

export interface UploadedFile extends SpooledFile {
  readonly path: SitePath
}

/** A file of a form, which does not declare its size, or of an archive. */
type IncomingFile = Pick<ArchiveEntry, 'name' | 'content'> & Partial<ArchiveEntry>

interface FinishedTree {
  readonly files: readonly UploadedFile[]
  readonly skippedFiles: readonly SkippedFile[]
  /** Fields to set, of a `sitehost.json`; null: none. */
  readonly settings: SiteSettings | null
}

/**
 * The files of an upload while they arrive, in the spool. A file that is left out is never written. All methods throw
 * UploadRefusedError.
 */
export class UploadTree {
  readonly #folder: SpoolFolder
  readonly #admission: UploadAdmission<UploadedFile>
  readonly #yieldWhenDue = timeSlices()
  #settings: SiteSettings | null = null

  constructor(folder: SpoolFolder, limits: SiteLimits) {
    this.#folder = folder
    this.#admission = new UploadAdmission(limits, (refusal) => {
      throw refusal
    })
  }

  /** Null for a file that is left out. */
  async add({ name, content, bytes = 0, problem }: IncomingFile): Promise<UploadedFile | null> {
    await this.#yieldWhenDue()
    const path = this.#admission.admit(name, problem)
    if (path === null) return null
    this.#admission.checkSize({ path, bytes })
    const file = { path, ...(await this.#spool(path, content)) }
    this.#admission.add(file)
    return file
  }

  /** Which rules the file at this path holds; null: none. */
  ruleFileAt(path: string): RuleFileName | null {
    return this.#admission.ruleFileAt(path)
  }

  /** Applies the file of rules at `path`. */
  async applyRules(path: string, name: RuleFileName, text: string): Promise<void> {
    let rules = text
    if (name === siteFileName) {
      const { settings, ignore } = readSiteFile(text)
      this.#settings = settings
      rules = ignore.join('\n')
    }
    for (const _ of this.#admission.ignoreBy(path, name, rules)) await this.#yieldWhenDue()
  }

  finish(): FinishedTree {
    const { files, skippedFiles, ruleProblems, hasSiteFile } = this.#admission.finish()
    return {
      files,
      skippedFiles: [...shortened(skippedFiles), ...ruleProblems],
      settings: hasSiteFile ? this.#settings : null,
    }
  }

  async #spool(path: SitePath, content: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
    const { bytesMax } = this.#admission
    try {
      return await this.#folder.write(content, { bytesMax, mayFree: true })
    } catch (error) {
      if (error instanceof SpoolLimitError) this.#admission.checkSize({ path, bytes: bytesMax + 1 })
      throw error
    }
  }
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
