import { Readable } from 'node:stream'
import { siteFileBytesMax, siteFilesMax, uploadEntriesMax } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import type { SkippedFile } from '#site/upload/upload-admission.ts'
import {
  invalid,
  tooLarge,
  UploadRefusedError,
  uploadBytesMax,
  uploadTooLarge,
} from '#site/upload/upload-refusal.ts'
import { type UnpackOptions, unpackArchive } from './archive-unpack.ts'
import { bounded } from './byte-reader.ts'
import { type FormPart, MultipartError, PartsLimitError, readMultipart } from './multipart.ts'
import { SpoolFullError } from './spool.ts'
import { startOf } from './start-of.ts'
import { UploadArrival, UploadTooSlowError } from './upload-arrival.ts'
import { type UploadedFile, UploadTree } from './upload-tree.ts'

// The same class; Bun's types and Node's types of it do not know each other.
type WebStream = Parameters<typeof Readable.fromWeb>[0]

/** A received upload, checked and on disk. */
export interface ReceivedUpload {
  readonly siteName: SiteName
  readonly files: readonly UploadedFile[]
  readonly skippedFiles: readonly SkippedFile[]
  /** Fields to set, of a `sitehost.json`; null: none. */
  readonly settings: SiteSettings | null
  /** There is neither a `files` part nor an `archive`: publishes an empty site. */
  readonly isEmpty: boolean
  /** False: visitors get no assets of earlier versions once this one is live. */
  readonly retain: boolean
}

interface IncomingUpload extends UnpackOptions {
  readonly body: AsyncIterable<Uint8Array>
  readonly contentType: string
  readonly arrival?: UploadArrival
  /** Called with the bytes that have arrived so far; may throw to end the upload. */
  readonly onArrived?: (bytes: number) => Promise<void>
  /** Called with the name, before any file is read; may throw to end the upload. */
  readonly onSiteName?: (siteName: SiteName) => Promise<void>
  /** Ends the upload when aborted. */
  readonly signal?: AbortSignal
}

const fieldBytesMax = 64 * 1024

/**
 * Reads an upload to the spool while it arrives; rejects as soon as a name or size allows it. The files are durable
 * when this resolves. Throws UploadRefusedError; the caller removes the folder.
 */
export async function receiveUpload(upload: IncomingUpload): Promise<ReceivedUpload> {
  const form = new UploadForm(upload)
  try {
    const { arrival = new UploadArrival(), onArrived = async () => {} } = upload
    const { body, contentType, limits, signal } = upload
    const arriving = arrival.measure(steady(body, signal), onArrived)
    // A request need not declare its length.
    const allowed = bounded(arriving, uploadBytesMax(limits), () => uploadTooLarge(limits))
    const parts = readMultipart(allowed, contentType, { partsMax: uploadEntriesMax })
    for await (const part of parts) await form.take(part)
  } catch (error) {
    throw refusalOf(error)
  }
  const received = form.finish()
  await upload.folder.sync()
  return received
}

/**
 * A request's body as a Node stream: Bun passes it to a slow reader in pieces of a megabyte, to a Node stream in pieces
 * of 64 KB, which takes a third of the memory (measured with 1 GB).
 */
export function steady(body: AsyncIterable<Uint8Array>, signal?: AbortSignal): Readable {
  return body instanceof ReadableStream
    ? Readable.fromWeb(body as unknown as WebStream, { signal })
    : Readable.from(body, { objectMode: false })
}

class UploadForm {
  readonly #upload: IncomingUpload
  readonly #tree: UploadTree
  #siteName: SiteName | null = null
  #source: 'files' | 'archive' | null = null
  #retain = true

  constructor(upload: IncomingUpload) {
    this.#upload = upload
    this.#tree = new UploadTree(upload.folder, upload.limits)
  }

  async take({ name, filename, content }: FormPart): Promise<void> {
    if (name === 'siteName') await this.#takeSiteName(await fieldOf(content))
    if (name === 'retain') this.#retain = retainOf(await fieldOf(content))
    if (name !== 'files' && name !== 'archive') return
    if (filename === null || filename === '') return assertEmpty(content)
    this.#assertExpected(name)
    this.#source = name
    if (name === 'files') await this.#takeFile(filename, content)
    else await unpackArchive({ name: filename, content }, this.#upload, this.#tree)
  }

  finish(): ReceivedUpload {
    if (this.#siteName === null) throw invalid(badSiteName)
    const isEmpty = this.#source === null
    const tree = isEmpty ? { files: [], skippedFiles: [], settings: null } : this.#tree.finish()
    return { siteName: this.#siteName, isEmpty, retain: this.#retain, ...tree }
  }

  async #takeSiteName(value: string): Promise<void> {
    if (this.#siteName !== null) throw invalid('siteName is there twice.')
    this.#siteName = parseSiteName(value)
    if (this.#siteName === null) throw invalid(badSiteName)
    await this.#upload.onSiteName?.(this.#siteName)
  }

  #assertExpected(source: 'files' | 'archive'): void {
    if (this.#siteName === null) throw invalid('siteName must come before the files.')
    if (this.#source === null || (this.#source === 'files' && source === 'files')) return
    throw invalid('Send either files or one archive.')
  }

  async #takeFile(name: string, content: AsyncIterable<Uint8Array>): Promise<void> {
    const file = await this.#tree.add({ name, content })
    const rules = file && this.#tree.ruleFileAt(file.path)
    if (file === null || rules === null) return
    const stored = this.#upload.folder.blob(file)
    await this.#tree.applyRules(
      file.path,
      rules,
      await startOf(stored.stream(), siteFileBytesMax + 1),
    )
  }
}

// Browsers send this for a file input without a chosen file.
async function assertEmpty(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of content) {
    if (chunk.length > 0) throw invalid('A file without a name cannot be published.')
  }
}

async function fieldOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const value = await startOf(content, fieldBytesMax + 1)
  if (Buffer.byteLength(value) <= fieldBytesMax) return value
  throw invalid(`A field is longer than ${fieldBytesMax} bytes.`)
}

function retainOf(value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  throw invalid('retain must be true or false.')
}

function refusalOf(error: unknown): unknown {
  if (error instanceof PartsLimitError) return tooManyParts()
  if (error instanceof MultipartError) {
    // Our reason for ending the body says more than that it ended.
    if (isEndOfOurs(error.cause)) return error.cause
    return invalid(`Not a complete form: ${error.message}.`, error)
  }
  return error
}

const isEndOfOurs = (error: unknown): boolean =>
  error instanceof UploadTooSlowError ||
  error instanceof SpoolFullError ||
  error instanceof UploadRefusedError

const badSiteName =
  'siteName must be 1 to 512 letters, digits or . _ ~ : - and may not be a dot or two dots.'
const tooManyParts = () =>
  tooLarge(
    `A site can have at most ${siteFilesMax} files; this upload has over ${uploadEntriesMax}, with those ` +
      'that are left out. Leave folders such as node_modules out of the upload.',
  )
