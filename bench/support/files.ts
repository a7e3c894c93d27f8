import { gzipSync } from 'node:zlib'
import type { UploadFile } from '../../devnet/app-client.ts'

export const kB = 1000
export const MB = 1000 * kB

export interface BenchFile {
  readonly path: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

export const uploadOf = ({ path, bytes }: BenchFile): UploadFile => ({
  path,
  body: new Blob([bytes]),
})

/** What publishing sends for a file: this server sniffs gzip, so it gets base64 (decisions §6). */
export function storedForm({ bytes }: BenchFile): Uint8Array<ArrayBuffer> {
  const gzipped = gzipSync(bytes, { level: 9 })
  if (gzipped.length > bytes.length * 0.95) return bytes
  return new Uint8Array(Buffer.from(gzipped.toString('base64')))
}

export function many(
  count: number,
  pathOf: (i: number) => string,
  make: () => Uint8Array<ArrayBuffer>,
): BenchFile[] {
  return Array.from({ length: count }, (_, i) => ({ path: pathOf(i), bytes: make() }))
}

/** What no compressor makes smaller. */
export function noise(bytes: number): Uint8Array<ArrayBuffer> {
  const piece = crypto.getRandomValues(new Uint8Array(Math.min(bytes, 65_536)))
  return new Uint8Array(
    Buffer.concat(Array(Math.ceil(bytes / piece.length)).fill(piece)).subarray(0, bytes),
  ).map((byte, i) => byte ^ (i >> 16))
}

const dictionary = Array.from({ length: 2000 }, () => Math.random().toString(36).slice(2, 9))

/** Text that gzip makes about three times smaller. */
export function words(bytes: number): Uint8Array<ArrayBuffer> {
  const piece: string[] = []
  for (let length = 0; length < Math.min(bytes, 2 * MB); length += 8) {
    piece.push(dictionary[Math.floor(Math.random() * dictionary.length)] ?? '')
  }
  const text = Buffer.from(piece.join(' ').padEnd(Math.min(bytes, 2 * MB)))
  return new Uint8Array(
    Buffer.concat(Array(Math.ceil(bytes / text.length)).fill(text)).subarray(0, bytes),
  )
}
