import { createGunzip } from 'node:zlib'
import { limitText } from '#site/byte-text.ts'
import { tarMetadataBytesMax, uploadEntriesMax } from '#site/limits.ts'
import { invalid, quoted, tooLarge } from '#site/upload/upload-refusal.ts'
import { bytesOfFile, decoded, decoderOptions } from './archive-decoding.ts'
import { type ArchiveEntry, corruptEntry, entryName, tooManyEntries } from './archive-entry.ts'
import {
  parseTarExtension,
  parseTarHeader,
  type TarExtension,
  type TarHeader,
  tarBlockBytes,
  textAt,
} from './archive-tar-header.ts'
import { ByteReader, bounded } from './byte-reader.ts'

/** The files of a tar: ustar, pax and GNU. `bytesMax` is for the whole tar, unpacked. Throws UploadRefusedError. */
export async function* readTar(
  path: string,
  { isGzipped, bytesMax }: { readonly isGzipped: boolean; readonly bytesMax: number },
): AsyncGenerator<ArchiveEntry> {
  const stored = bytesOfFile(path)
  const tooMany = () => tooLarge(`This archive holds more than ${limitText(bytesMax)}.`)
  const chunks = isGzipped ? decoded(stored, createGunzip(decoderOptions), notGzip) : stored
  await using bytes = new ByteReader(bounded(chunks, bytesMax, tooMany))
  for (let entries = 0; ; entries++) {
    const entry = await readEntry(bytes)
    if (entry === null) break
    if (entries >= uploadEntriesMax) throw tooManyEntries()
    const content = contentOf(entry, bytes)
    if (!isFolder(entry)) yield { ...entry, problem: problemWith(entry), content }
    for await (const _ of content);
    if ((await bytes.take(paddingOf(entry.bytes))) === null) throw corruptEntry(entry.name)
  }
  await assertNothingFollows(bytes)
}

interface TarEntry {
  readonly name: string
  readonly bytes: number
  readonly type: string
  readonly isSparse: boolean
}

/** Several headers may describe one entry; the last is its own. Null at the end of the archive. */
async function readEntry(bytes: ByteReader): Promise<TarEntry | null> {
  let extension: TarExtension = {}
  for (let headers = 0; headers < headersMax; headers++) {
    const block = await bytes.take(tarBlockBytes)
    const header = block && parseTarHeader(block)
    if (header === null) throw notTar()
    if (header === 'end') return null
    if (!describesOthers.has(header.type)) {
      const { name = header.name, isSparse = false } = extension
      const size = header.type === '1' ? 0 : (extension.bytes ?? header.bytes)
      return { name: entryName(name), bytes: size, type: header.type, isSparse }
    }
    extension = { ...extension, ...(await readExtension(bytes, header)) }
  }
  throw notTar()
}

async function readExtension(bytes: ByteReader, header: TarHeader): Promise<TarExtension> {
  if (header.bytes > tarMetadataBytesMax) throw tooLarge('The names in this archive are too long.')
  const padded = await bytes.take(header.bytes + paddingOf(header.bytes))
  if (padded === null) throw notTar()
  const content = padded.subarray(0, header.bytes)
  if (header.type === 'L') return { name: textAt(content, 0, content.length) }
  const extension = header.type === 'x' ? parseTarExtension(content) : {}
  if (extension === null) throw notTar()
  return extension
}

/** Every iteration continues where the last one ended. */
function contentOf({ name, bytes: size }: TarEntry, bytes: ByteReader): AsyncIterable<Uint8Array> {
  let left = size
  return {
    async *[Symbol.asyncIterator]() {
      while (left > 0) {
        const chunk = await bytes.takeSome(left)
        if (chunk === null) throw corruptEntry(name)
        left -= chunk.length
        yield chunk
      }
    },
  }
}

// Data after the end marker was not meant to be published.
async function assertNothingFollows(bytes: ByteReader): Promise<void> {
  for (;;) {
    const chunk = await bytes.takeSome(zeros.length)
    if (chunk === null) return
    if (!chunk.equals(zeros.subarray(0, chunk.length))) {
      throw invalid('Something follows the end of this archive.')
    }
  }
}

const zeros = Buffer.alloc(64 * 1024)

const paddingOf = (bytes: number): number => -bytes & (tarBlockBytes - 1)

/** Headers of one entry; there are only four kinds. */
const headersMax = 8

/** pax, pax for all later entries, GNU's long name, GNU's long link target. */
const describesOthers = new Set(['x', 'g', 'L', 'K'])

const isFolder = ({ type, name }: TarEntry): boolean =>
  type === '5' || (type === '0' && (name.endsWith('/') || name === ''))

function problemWith({ type, isSparse }: TarEntry): string | null {
  if (isSparse) return 'is a sparse file'
  if (type === '0' || type === '7') return null
  return problemsByType.get(type) ?? `is of a kind that is not supported (${quoted(type)})`
}

const problemsByType = new Map([
  ['1', 'is a hard link'],
  ['2', 'is a symbolic link'],
  ['3', 'is a device'],
  ['4', 'is a device'],
  ['6', 'is a pipe'],
])

const notTar = () => invalid('This is not a complete tar file.')
const notGzip = (cause: unknown) => invalid('This is not a complete gzip file.', cause)
