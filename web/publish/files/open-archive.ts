import { words } from '#web/words/words.ts'
import { crc32 } from './crc32.ts'
import { type PickedFile, ReadError } from './picked-file.ts'
import { readZipDirectory, type ZipEntry } from './zip-directory.ts'

/** The one file that is there, if it is an archive: what is in it becomes the site. `name` is without the ending. */
export function archiveNameOf(
  files: readonly PickedFile[],
): { readonly file: PickedFile; readonly name: string; readonly isZip: boolean } | null {
  const [file, ...others] = files
  if (file === undefined || others.length > 0 || file.path.includes('/')) return null
  const name = file.path.replace(archiveEnding, '')
  return name === file.path ? null : { file, name, isZip: /\.zip$/i.test(file.path) }
}

// As the server reads it (src/publish/upload/archive-unpack.ts).
const archiveEnding = /\.(zip|tar|tar\.gz|tgz)$/i

/**
 * The files of a zip, in the order of its central directory and by the rules of the service. A file is unpacked when it is
 * opened. Throws ReadError.
 */
export async function openZip(archive: PickedFile): Promise<PickedFile[]> {
  const zip = await archive.open()
  const entries = await readZipDirectory(zip)
  return entries.flatMap((entry) => {
    const path = nameOf(entry)
    if (path.endsWith('/') || entry.kind === kinds.folder) return []
    const open = () => unpack(zip, entry, path)
    return [{ path, bytes: entry.bytes, problem: problemOf(entry), open }]
  })
}

const kinds = { folder: 0o040000, file: 0o100000, symbolicLink: 0o120000 }
const deflate = 8

function nameOf({ name }: ZipEntry): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name)
  } catch (cause) {
    throw new ReadError(words.publish.zip.notUtf8, { cause })
  }
  const plain = text.startsWith('./') ? text.slice(2) : text
  if (/^[a-z]:/i.test(plain)) throw new ReadError(words.publish.zip.drive(plain))
  return plain
}

function problemOf({ kind, flags, method }: ZipEntry): string | null {
  if (kind === kinds.symbolicLink) return 'is a symbolic link'
  if (kind !== 0 && kind !== kinds.file) return 'is neither a file nor a folder'
  if (flags & 1) return 'is encrypted'
  if (method === 0 || method === deflate) return null
  return `is compressed in a way that is not supported (method ${method})`
}

/** Decodes no more than the entry declares. */
async function unpack(zip: Blob, entry: ZipEntry, path: string): Promise<Blob> {
  const damaged = (cause?: unknown) => new ReadError(words.publish.zip.damaged(path), { cause })
  const local = new DataView(await zip.slice(entry.offset, entry.offset + 30).arrayBuffer())
  if (local.byteLength < 30 || local.getUint32(0, true) !== 0x04034b50) throw damaged()
  const start = entry.offset + 30 + local.getUint16(26, true) + local.getUint16(28, true)
  const packed = zip.slice(start, start + entry.compressedBytes)
  if (packed.size !== entry.compressedBytes) throw damaged()
  const isDeflated = entry.method === deflate && packed.size > 0
  const content = isDeflated
    ? packed.stream().pipeThrough(new DecompressionStream('deflate-raw'))
    : packed.stream()
  try {
    return await collected(content, entry)
  } catch (cause) {
    throw damaged(cause)
  }
}

async function collected(content: ReadableStream<Uint8Array<ArrayBuffer>>, entry: ZipEntry) {
  const blobs: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let [bytes, chunkBytes, checksum] = [0, 0, 0]
  for await (const chunk of chunksOf(content)) {
    bytes += chunk.byteLength
    if (bytes > entry.bytes) throw new Error('longer than declared')
    checksum = crc32(chunk, checksum)
    chunks.push(chunk)
    chunkBytes += chunk.byteLength
    if (chunkBytes < blobBytes) continue
    // The browser may keep a blob on disk.
    blobs.push(new Blob(chunks))
    chunks = []
    chunkBytes = 0
  }
  if (bytes !== entry.bytes || checksum !== entry.crc32) throw new Error('other than declared')
  return new Blob([...blobs, ...chunks])
}

/** Not all browsers iterate over a stream. */
async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const blobBytes = 4 * 1024 * 1024
