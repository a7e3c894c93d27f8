import { timeSlices } from '#concurrency/yield-event-loop.ts'
import type { SiteLimits } from '#site/limits.ts'
import type { SitePath } from '#site/path.ts'
import { type SkippedFile, UploadAdmission } from '#site/upload/upload-admission.ts'
import type { ArchiveEntry } from './archive-entry.ts'
import { type SpooledFile, type SpoolFolder, SpoolLimitError } from './spool-folder.ts'

export interface UploadedFile extends SpooledFile {
  readonly path: SitePath
}

/** A file of a form, which does not declare its size, or of an archive. */
type IncomingFile = Pick<ArchiveEntry, 'name' | 'content'> & Partial<ArchiveEntry>

/**
 * The files of an upload while they arrive, in the spool. A file that is left out is never written. All methods throw
 * UploadRefusedError.
 */
export class UploadTree {
  readonly #folder: SpoolFolder
  readonly #admission: UploadAdmission<UploadedFile>
  readonly #yieldWhenDue = timeSlices()

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

  isIgnoreFile(path: string): boolean {
    return this.#admission.isIgnoreFile(path)
  }

  async ignoreBy(path: string, text: string): Promise<void> {
    for (const _ of this.#admission.ignoreBy(path, text)) await this.#yieldWhenDue()
  }

  finish(): { files: readonly UploadedFile[]; skippedFiles: readonly SkippedFile[] } {
    const { files, skippedFiles, ruleProblems } = this.#admission.finish()
    return { files, skippedFiles: [...shortened(skippedFiles), ...ruleProblems] }
  }

  async #spool(path: SitePath, content: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
    const { bytesMax } = this.#admission
    try {
      return await this.#folder.write(content, { bytesMax })
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
