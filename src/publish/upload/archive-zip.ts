import { type FileHandle, open } from 'node:fs/promises'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { uploadEntriesMax, zipDirectoryBytesMax } from '#site/limits.ts'
import { invalid, tooLarge, UploadRefusedError } from '#site/upload/upload-refusal.ts'
import { bytesOfFile, decoded, decoderOptions } from './archive-decoding.ts'
import { type ArchiveEntry, corruptEntry, entryName, tooManyEntries } from './archive-entry.ts'

/**
 * The files of a zip, in the order of its central directory; entries that it does not list are ignored.
 * Throws UploadRefusedError.
 */
export async function* readZip(path: string): AsyncGenerator<ArchiveEntry> {
  await using file = await ZipReader.open(path)
  const options = { autoClose: false, decodeStrings: false }
  const zip = await fromRandomAccessReaderPromise(file, file.bytes, options).catch(refuse)
  // After the last entry there is no other listener, and an error event without a listener ends the process.
  zip.on('error', () => undefined)
  const entries = await listEntries(zip).catch(refuse)
  if (overlap(entries)) throw invalid('Files of this archive lie on top of each other in it.')
  for (const entry of entries) {
    const name = entryName(nameBytes(entry))
    if (isFolder(entry, name)) continue
    const content = contentOf(zip, entry, name, path)
    yield { name, bytes: entry.uncompressedSize, problem: problemWith(entry), content }
  }
}

/**
 * A zip on disk, as yauzl reads it. yauzl's own reader passes any offset in the archive to the file system, and the
 * error for one beyond 2^53 cannot be caught.
 */
class ZipReader extends RandomAccessReader implements AsyncDisposable {
  readonly bytes: number
  readonly #file: FileHandle

  private constructor(file: FileHandle, bytes: number) {
    super()
    this.#file = file
    this.bytes = bytes
  }

  static async open(path: string): Promise<ZipReader> {
    const file = await open(path)
    return new ZipReader(file, (await file.stat()).size)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#read(buffer.subarray(offset, offset + length), position).then(
      () => callback(null),
      callback,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  async #read(buffer: Buffer, position: number): Promise<void> {
    if (!(position >= 0 && position + buffer.length <= this.bytes))
      throw new Error('ends too early')
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, position)
    if (bytesRead < buffer.length) throw new Error('ends too early')
  }
}

async function listEntries(zip: ZipFile): Promise<readonly Entry[]> {
  if (zip.entryCount > uploadEntriesMax) throw tooManyEntries()
  const entries: Entry[] = []
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength
    if (bytes > zipDirectoryBytesMax) throw tooLarge('The names in this archive are too long.')
    entries.push(entry)
  }
  return entries
}

/** Whether entries overlap: a zip bomb reuses the same bytes to hold a petabyte. */
function overlap(entries: readonly Entry[]): boolean {
  let end = 0
  const byStart = entries.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )
  return byStart.some((entry) => {
    const start = entry.relativeOffsetOfLocalHeader
    const isWithin = start < end
    end = start + localHeaderBytes + entry.compressedSize
    return isWithin
  })
}

async function* contentOf(
  zip: ZipFile,
  entry: Entry,
  name: string,
  path: string,
): AsyncGenerator<Uint8Array> {
  const corrupt = (cause?: unknown) => corruptEntry(name, cause)
  const { fileDataStart: start } = await zip
    .readLocalFileHeaderPromise(entry, { minimal: true })
    .catch((cause) => refuse(cause, corrupt))
  const stored = bytesOfFile(path, { start, end: start + entry.compressedSize })
  const isDeflated = entry.compressionMethod === deflate && entry.compressedSize > 0
  const inflate = () => decoded(stored, createInflateRaw(decoderOptions), corrupt)
  let bytes = 0
  let checksum = 0
  for await (const chunk of isDeflated ? inflate() : stored) {
    bytes += chunk.length
    checksum = crc32(chunk, checksum)
    if (bytes > entry.uncompressedSize) throw corrupt()
    yield chunk
  }
  if (bytes !== entry.uncompressedSize || checksum !== entry.crc32) throw corrupt()
}

// APPNOTE.TXT §4.6.9: Info-ZIP adds the name in UTF-8 if the name itself is in a local character set.
function nameBytes({ extraFields, fileNameRaw }: Entry): Buffer {
  const unicode = extraFields.find(({ id, data }) => id === 0x7075 && data[0] === 1)?.data
  if (unicode === undefined || unicode.length < 6) return fileNameRaw
  return unicode.readUInt32LE(1) === crc32(fileNameRaw) ? unicode.subarray(5) : fileNameRaw
}

const localHeaderBytes = 30
const deflate = 8
const kindMask = 0o170000
const kinds = { folder: 0o040000, file: 0o100000, symbolicLink: 0o120000 }

/** The type bits of the Unix mode; 0 without one. */
const kindOf = (entry: Entry): number => (entry.externalFileAttributes >>> 16) & kindMask

const isFolder = (entry: Entry, name: string): boolean =>
  name.endsWith('/') || kindOf(entry) === kinds.folder

function problemWith(entry: Entry): string | null {
  const kind = kindOf(entry)
  if (kind === kinds.symbolicLink) return 'is a symbolic link'
  if (kind !== 0 && kind !== kinds.file) return 'is neither a file nor a folder'
  if (entry.isEncrypted()) return 'is encrypted'
  if (entry.compressionMethod === 0 || entry.compressionMethod === deflate) return null
  return `is compressed in a way that is not supported (method ${entry.compressionMethod})`
}

/** File-system errors are ours, not the archive's. */
function refuse(
  cause: unknown,
  refusal = (cause: unknown) => invalid('This is not a complete zip file.', cause),
): never {
  const isOurs = cause instanceof UploadRefusedError
  const isFromSystem = cause instanceof Error && 'syscall' in cause
  throw isOurs || isFromSystem ? cause : refusal(cause)
}
