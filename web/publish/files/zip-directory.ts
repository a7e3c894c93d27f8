import { uploadEntriesMax, zipDirectoryBytesMax } from '#site/limits.ts'
import { words } from '#web/words/words.ts'
import { crc32 } from './crc32.ts'
import { ReadError } from './picked-file.ts'

/** A file, link or folder as the directory of a zip lists it. */
export interface ZipEntry {
  readonly name: Uint8Array
  readonly flags: number
  readonly method: number
  readonly crc32: number
  readonly compressedBytes: number
  readonly bytes: number
  /** The type bits of the Unix mode; 0 without one. */
  readonly kind: number
  /** Of its local header. */
  readonly offset: number
}

/** The entries of a zip's central directory, without those folders' contents that only local headers name. Throws ReadError. */
export async function readZipDirectory(zip: Blob): Promise<ZipEntry[]> {
  const { count, bytes, offset } = await findDirectory(zip)
  if (count > uploadEntriesMax) throw new ReadError(words.publish.zip.tooLarge(uploadEntriesMax))
  if (bytes > zipDirectoryBytesMax + count * headerBytes)
    throw new ReadError(words.publish.zip.namesTooLong)
  if (offset + bytes > zip.size) throw broken()
  const view = await viewOf(zip, offset, offset + bytes)
  const entries: ZipEntry[] = []
  for (let at = 0; entries.length < count; ) {
    if (at + headerBytes > view.byteLength || view.getUint32(at, true) !== headerMark)
      throw broken()
    const [names, extras, comments] = [28, 30, 32].map((field) => view.getUint16(at + field, true))
    const end = at + headerBytes + (names ?? 0) + (extras ?? 0)
    if (end > view.byteLength) throw broken()
    entries.push(entryAt(view, at, names ?? 0, end))
    at = end + (comments ?? 0)
  }
  if (overlap(entries)) throw new ReadError(words.publish.zip.overlaps)
  return entries
}

// APPNOTE.TXT §4.3.12
const headerMark = 0x02014b50
const headerBytes = 46
const localHeaderBytes = 30

const broken = () => new ReadError(words.publish.zip.broken)

async function viewOf(zip: Blob, start: number, end: number): Promise<DataView> {
  return new DataView(await zip.slice(Math.max(0, start), end).arrayBuffer())
}

// §4.3.16: the end record is 22 bytes and a comment of up to 65 535.
async function findDirectory(zip: Blob) {
  const start = Math.max(0, zip.size - 22 - 0xffff)
  const view = await viewOf(zip, start, zip.size)
  for (let at = view.byteLength - 22; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue
    if (at + 22 + view.getUint16(at + 20, true) !== view.byteLength) continue
    const found = {
      count: view.getUint16(at + 10, true),
      bytes: view.getUint32(at + 12, true),
      offset: view.getUint32(at + 16, true),
    }
    const isLarge =
      found.count === 0xffff || found.bytes === 0xffffffff || found.offset === 0xffffffff
    return isLarge ? await findLargeDirectory(zip, start + at, found) : found
  }
  throw broken()
}

// §4.3.14 and §4.3.15: the numbers of 64 bits are in a record of their own.
async function findLargeDirectory<Found>(zip: Blob, end: number, found: Found) {
  const locator = await viewOf(zip, end - 20, end)
  if (locator.byteLength < 20 || locator.getUint32(0, true) !== 0x07064b50) return found
  const at = Number(locator.getBigUint64(8, true))
  const view = await viewOf(zip, at, at + 56)
  if (view.byteLength < 56 || view.getUint32(0, true) !== 0x06064b50) throw broken()
  const [count = 0, bytes = 0, offset = 0] = [32, 40, 48].map((field) =>
    Number(view.getBigUint64(field, true)),
  )
  return { count, bytes, offset }
}

function entryAt(view: DataView, at: number, nameBytes: number, end: number): ZipEntry {
  const nameStart = at + headerBytes
  const name = bytesOf(view, nameStart, nameStart + nameBytes)
  const extras = extrasOf(view, nameStart + nameBytes, end)
  const sizes = [
    view.getUint32(at + 24, true),
    view.getUint32(at + 20, true),
    view.getUint32(at + 42, true),
  ]
  const large = extras.get(0x0001)
  let next = 0
  // §4.5.3: only the fields that do not fit are there, in this order.
  const [bytes = 0, compressedBytes = 0, offset = 0] = sizes.map((size) => {
    if (size !== 0xffffffff || large === undefined || next + 8 > large.byteLength) return size
    next += 8
    return Number(large.getBigUint64(next - 8, true))
  })
  return {
    name: unicodeName(name, extras.get(0x7075)) ?? name,
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    crc32: view.getUint32(at + 16, true),
    compressedBytes,
    bytes,
    kind: (view.getUint32(at + 38, true) >>> 16) & 0o170000,
    offset,
  }
}

const bytesOf = (view: DataView, start: number, end: number): Uint8Array =>
  new Uint8Array(view.buffer, view.byteOffset + start, end - start)

function extrasOf(view: DataView, start: number, end: number): Map<number, DataView> {
  const extras = new Map<number, DataView>()
  for (let at = start; at + 4 <= end; ) {
    const bytes = view.getUint16(at + 2, true)
    if (at + 4 + bytes > end) break
    extras.set(view.getUint16(at, true), new DataView(view.buffer, view.byteOffset + at + 4, bytes))
    at += 4 + bytes
  }
  return extras
}

// §4.6.9: Info-ZIP adds the name in UTF-8 if the name itself is in a local character set.
function unicodeName(name: Uint8Array, extra: DataView | undefined): Uint8Array | null {
  if (extra === undefined || extra.byteLength < 6 || extra.getUint8(0) !== 1) return null
  return extra.getUint32(1, true) === crc32(name) ? bytesOf(extra, 5, extra.byteLength) : null
}

/** Whether entries overlap: a zip bomb reuses the same bytes to hold a petabyte. */
function overlap(entries: readonly ZipEntry[]): boolean {
  let end = 0
  return entries
    .toSorted((a, b) => a.offset - b.offset)
    .some(({ offset, compressedBytes }) => {
      const isWithin = offset < end
      end = offset + localHeaderBytes + compressedBytes
      return isWithin
    })
}
