import { Readable } from 'node:stream'
import { manifestFilesMax } from '#site/limits.ts'
import { describeBadPath, parseSitePath, type SitePath } from '#site/path.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { treeProblems } from '#site/tree.ts'
import { isLeftOut, sharedRoot } from '#site/upload-path.ts'
import { type FormPart, MultipartError, PartsLimitError, readMultipart } from './multipart.ts'
import { type SpooledFile, type SpoolFolder, SpoolLimitError } from './spool.ts'

// The same class; Bun's types and Node's types of it do not know each other.
type WebStream = Parameters<typeof Readable.fromWeb>[0]

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
  readonly body: AsyncIterable<Uint8Array>
  readonly contentType: string
  readonly folder: SpoolFolder
  readonly limits: UploadLimits
  /** Called as soon as the name is known, before any file: may throw to end the upload. */
  readonly onSiteName?: (siteName: SiteName) => Promise<void>
}

/** Files, those that will be left out, and fields. */
const partsMax = manifestFilesMax * 5
const fieldBytesMax = 64 * 1024

/**
 * Reads an upload to the spool while it arrives. Everything that can be refused without its content is
 * refused at the first sight of it. Throws UploadRefusedError; whoever opened the folder removes it.
 */
export async function receiveUpload(upload: IncomingUpload): Promise<ReceivedUpload> {
  const form = new UploadForm(upload)
  try {
    for await (const part of readMultipart(steady(upload.body), upload.contentType, {
      partsMax,
    })) {
      await form.take(part)
    }
  } catch (error) {
    throw refusalOf(error)
  }
  return form.finish()
}

// To a reader that waits for the disk, Bun hands over a request's body by the megabyte; to a Node stream
// by 64 KB, which keeps a third of the memory (measured with 1 GB).
function steady(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return body instanceof ReadableStream ? Readable.fromWeb(body as unknown as WebStream) : body
}

class UploadForm {
  readonly #upload: IncomingUpload
  #siteName: SiteName | null = null
  #totalBytes = 0
  #hasFiles = false
  readonly #names = new Set<string>()
  readonly #folders = new Set<string>()
  readonly #files: UploadedFile[] = []
  readonly #skipped: SkippedFile[] = []

  constructor(upload: IncomingUpload) {
    this.#upload = upload
  }

  async take({ name, filename, content }: FormPart): Promise<void> {
    if (name === 'siteName') await this.#takeSiteName(await textOf(content))
    if (name === 'files') await this.#takeFile(filename ?? '', content)
    if (name === 'archive') {
      throw invalid('Archives are not taken yet. Upload the files themselves.')
    }
  }

  async #takeSiteName(value: string): Promise<void> {
    if (this.#siteName !== null) throw invalid('siteName is there twice.')
    this.#siteName = parseSiteName(value)
    if (this.#siteName === null) throw invalid(badSiteName)
    await this.#upload.onSiteName?.(this.#siteName)
  }

  async #takeFile(filename: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    if (filename === '') {
      await assertEmpty(content)
      return
    }
    if (this.#siteName === null) throw invalid('siteName must come before the files.')
    this.#hasFiles = true
    const path = this.#admit(filename)
    const reason = isLeftOut(path)
    if (reason !== null) {
      this.#skipped.push({ name: path, reason })
      return
    }
    this.#noteFolders(path)
    if (this.#files.length >= manifestFilesMax) throw tooManyFiles()
    this.#files.push({ path, ...(await this.#spool(path, content)) })
  }

  finish(): ReceivedUpload {
    if (this.#siteName === null) throw invalid(badSiteName)
    const files = withoutSharedRoot(this.#files)
    if (this.#hasFiles && files.length === 0) {
      throw invalid('Every file of this upload is one that is left out. Nothing was published.')
    }
    const [problem] = treeProblems(files.map((file) => file.path))
    if (problem !== undefined) throw invalid(`This cannot be a site: ${problem}.`)
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

  // Known from the names alone, so it need not wait for the end of the upload.
  #noteFolders(path: SitePath): void {
    if (this.#folders.has(path)) throw fileAndFolder(path)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      if (this.#folders.has(folder)) continue
      if (this.#files.some((file) => file.path === folder)) throw fileAndFolder(folder)
      this.#folders.add(folder)
    }
  }

  async #spool(path: SitePath, content: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
    const { folder, limits } = this.#upload
    const siteBytesLeft = limits.siteBytesMax - this.#totalBytes
    const bytesMax = Math.min(limits.fileBytesMax, siteBytesLeft)
    try {
      const spooled = await folder.write(content, { bytesMax })
      this.#totalBytes += spooled.bytes
      return spooled
    } catch (error) {
      if (!(error instanceof SpoolLimitError)) throw error
      if (bytesMax < limits.fileBytesMax) {
        throw tooLarge(
          `This site is larger than ${megabytes(limits.siteBytesMax)}; it is with ${quoted(path)}.`,
        )
      }
      throw tooLarge(`${quoted(path)} is larger than ${megabytes(bytesMax)}.`)
    }
  }
}

// What a browser sends for a file input in which nothing was chosen.
async function assertEmpty(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of content) {
    if (chunk.length > 0) throw invalid('A file without a name cannot be published.')
  }
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    if (bytes > fieldBytesMax) throw invalid(`A field is longer than ${fieldBytesMax} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function withoutSharedRoot(files: readonly UploadedFile[]): readonly UploadedFile[] {
  const root = sharedRoot(files.map((file) => file.path))
  if (root === null) return files
  return files.map((file) => ({ ...file, path: file.path.slice(root.length + 1) as SitePath }))
}

function refusalOf(error: unknown): unknown {
  if (error instanceof PartsLimitError) return tooManyParts()
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
const tooManyParts = () =>
  tooLarge(
    `A site can have at most ${manifestFilesMax} files; this upload has over ${partsMax}, with those ` +
      'that are left out. Leave folders such as node_modules out of the upload.',
  )
const fileAndFolder = (path: string) =>
  invalid(`${quoted(path)} is both a file and a folder in this upload.`)

const quoted = (name: string): string => JSON.stringify(name.slice(0, 300))

export const megabytes = (bytes: number): string =>
  `${(bytes / (1024 * 1024)).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
