import { constants, crc32, deflateRawSync } from 'node:zlib'

/** A stored block without content (RFC 1951 §3.2.4), not the last one. */
const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff])

/** One gzip member: this content uncompressed, then at least this many bytes of empty blocks. */
export function hollowGzip(content: string | Uint8Array, emptyBytes: number): Buffer {
  return Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
    deflateRawSync(content, { level: 0, finishFlush: constants.Z_SYNC_FLUSH }),
    Buffer.alloc(emptyBlock.length * Math.ceil(emptyBytes / emptyBlock.length), emptyBlock),
    deflateRawSync(''),
    gzipTrailer(content),
  ])
}

/** CRC-32 and size of the content (RFC 1952 §2.3.1). */
export function gzipTrailer(content: string | Uint8Array): Buffer {
  const trailer = Buffer.alloc(8)
  trailer.writeUInt32LE(crc32(content), 0)
  trailer.writeUInt32LE(Buffer.byteLength(content), 4)
  return trailer
}
