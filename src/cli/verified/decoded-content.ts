import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FileNode } from '#site/record/manifest.ts'

const inflate = promisify(gunzip)

/** A file's content from its stored bytes. Null for bytes that are not what the node says, or more than `bytesMax`. */
export async function decodedContent(
  bytes: Uint8Array,
  { base64, encoding }: Pick<FileNode, 'base64' | 'encoding'>,
  bytesMax: number,
): Promise<Uint8Array | null> {
  const coded = base64 ? Buffer.from(Buffer.from(bytes).toString('latin1'), 'base64') : bytes
  if (encoding !== 'gzip') return coded.byteLength > bytesMax ? null : coded
  try {
    return await inflate(coded, { maxOutputLength: Math.max(bytesMax, 1) })
  } catch {
    return null
  }
}
