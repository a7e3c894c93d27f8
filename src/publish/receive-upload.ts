import type { Readable } from 'node:stream'
import { manifestFilesMax } from '#site/limits.ts'
import { describeBadPath, parseSitePath, type SitePath } from '#site/path.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { treeProblems } from '#site/tree.ts'
import { isLeftOut, sharedRoot } from '#site/upload-path.ts'
import { MultipartError, PartsLimitError, readMultipart } from './multipart.ts'
import { type SpooledFile, type SpoolFolder, SpoolLimitError } from './spool.ts'

/** What a person sent, checked and on disk. */
export interface ReceivedUpload {
  readonly siteName: SiteName
  readonly files: readonly UploadedFile[]
  readonly skippedFiles: readonly SkippedFile[]
  /** No `files` part at all: publishes an empty site. */
  readonly isEmpty: boolean
}

export interface UploadedFile extends SpooledFile {
  readonly path: SitePath
}

export interface SkippedFile {
  readonly name: string
  readonly reason: string
}

/** The upload cannot become a site. `message` is for the person who sent it. */
export class UploadRefusedError extends Error {
  override readonly name = 'UploadRefusedError'
  readonly reason: 'invalid' | 'too-large'

  constructor(reason: 'invalid' | 'too-large', message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

export interface UploadLimits {
  readonly fileBytesMax: number
  readonly siteBytesMax: number
}

interface IncomingUpload {
  readonly body: ReadableStream<Uint8Array>
  readonly contentType: string
  readonly folder: SpoolFolder
  readonly limits: UploadLimits
  /** Called as soon as the name is known, before any file: may throw to end the upload. */
  readonly onSiteName?: (siteName: SiteName) => Promise<void>
}

/** Files, those that will be left out, and fields. */
const partsMax = manifestFilesMax * 5

/**
 * Reads an upload to the spool while it arrives. Everything that can be refused without its content is
 * refused at the first sight of it. Throws UploadRefusedError; whoever opened the folder removes it.
 */
export async function receiveUpload(upload: IncomingUpload): Promise<ReceivedUpload> {
  const form = new UploadForm(upload)
  const { body, contentType, limits } = upload
  try {
    await readMultipart(
      body,
      contentType,
      { partsMax, fileBytesMax: limits.fileBytesMax },
      {
        onField: (name, value) => form.takeField(name, value),
        onFile: (name, filename, file) => form.takeFile(name, filename, file),
      },
    )
  } catch (error) {
    throw refusalOf(error)
  }
  return form.finish()
}

class UploadForm {
  readonly #upload: IncomingUpload
  #siteName: SiteName | null = null
  #siteNameAccepted: Promise<void> | undefined
  #totalBytes = 0
  #hasFiles = false
  readonly #names = new Set<string>()
  readonly #files: UploadedFile[] = []
  readonly #skipped: SkippedFile[] = []

  constructor(upload: IncomingUpload) {
    this.#upload = upload
  }

  takeField(name: string, value: string): void {
    if (name !== 'siteName') return
    this.#siteName = parseSiteName(value)
    if (this.#siteName === null) throw invalid(badSiteName)
    this.#siteNameAccepted = this.#upload.onSiteName?.(this.#siteName)
    // Awaited where files begin; until then its failure must not count as unhandled.
    this.#siteNameAccepted?.catch(() => undefined)
  }

  async takeFile(field: string, filename: string, file: Readable): Promise<void> {
    if (field !== 'files') {
      file.resume()
      return
    }
    if (filename === '') {
      await this.#takeUnnamed(file)
      return
    }
    if (this.#siteName === null) throw invalid('siteName must come before the files.')
    this.#hasFiles = true
    const path = this.#admit(filename)
    const reason = isLeftOut(filename)
    if (reason !== null) {
      this.#skipped.push({ name: filename, reason })
      file.resume()
      return
    }
    if (this.#files.length >= manifestFilesMax) throw tooManyFiles()
    // Counted before the bytes arrive, so that files that arrive together are counted together.
    const index = this.#files.push({ path, name: '', bytes: 0, sha256: '' }) - 1
    await this.#siteNameAccepted
    this.#files[index] = { path, ...(await this.#spool(filename, file)) }
  }

  finish(): ReceivedUpload {
    if (this.#siteName === null) throw invalid(badSiteName)
    const files = withoutSharedRoot(this.#files)
    if (this.#hasFiles && files.length === 0) {
      throw invalid('Every file of this upload is one that is left out. Nothing was published.')
    }
    const [problem] = treeProblems(files.map((file) => file.path))
    if (problem !== undefined) throw invalid(problem)
    return {
      siteName: this.#siteName,
      files,
      skippedFiles: this.#skipped,
      isEmpty: !this.#hasFiles,
    }
  }

  /** Throws for a path that no site can hold, and for one that came before. */
  #admit(filename: string): SitePath {
    const path = parseSitePath(filename)
    if (path === null)
      throw invalid(`Bad file path ${quoted(filename)}: ${describeBadPath(filename)}.`)
    if (this.#names.has(path)) throw invalid(`The file ${quoted(path)} is there twice.`)
    this.#names.add(path)
    return path
  }

  async #spool(filename: string, file: Readable): Promise<SpooledFile> {
    const { folder, limits } = this.#upload
    try {
      const spooled = await folder.write(file, { bytesMax: limits.fileBytesMax })
      this.#totalBytes += spooled.bytes
      if (this.#totalBytes > limits.siteBytesMax) {
        throw tooLarge(`This site is larger than ${megabytes(limits.siteBytesMax)}.`)
      }
      return spooled
    } catch (error) {
      if (!(error instanceof SpoolLimitError)) throw error
      throw tooLarge(`${quoted(filename)} is larger than ${megabytes(error.bytesMax)}.`)
    }
  }

  // What a browser sends for a file input in which nothing was chosen.
  async #takeUnnamed(file: Readable): Promise<void> {
    for await (const chunk of file) {
      if (chunk.length > 0) throw invalid('A file without a name cannot be published.')
    }
  }
}

function withoutSharedRoot(files: readonly UploadedFile[]): readonly UploadedFile[] {
  const root = sharedRoot(files.map((file) => file.path))
  if (root === null) return files
  return files.map((file) => ({ ...file, path: file.path.slice(root.length + 1) as SitePath }))
}

function refusalOf(error: unknown): unknown {
  if (error instanceof PartsLimitError) return tooManyFiles()
  if (error instanceof MultipartError) {
    return new UploadRefusedError('invalid', `Not a complete form: ${error.message}.`, {
      cause: error,
    })
  }
  return error
}

const badSiteName =
  'siteName must be 1 to 512 letters, digits or . _ ~ : - and may not be a dot or two dots.'
const invalid = (message: string) => new UploadRefusedError('invalid', message)
const tooLarge = (message: string) => new UploadRefusedError('too-large', message)
const tooManyFiles = () =>
  tooLarge(`A site can have at most ${manifestFilesMax} files; this upload has more.`)

const quoted = (name: string): string => JSON.stringify(name.slice(0, 300))

export const megabytes = (bytes: number): string =>
  `${(bytes / (1024 * 1024)).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
