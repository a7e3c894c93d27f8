import { gzipSavingMin } from './limits.ts'

/** How the stored bytes of a file hold its content. */
export type Coding = 'gzip' | 'identity'

/** False for formats that are compressed by design. */
export function isCompressible(mediaType: string): boolean {
  if (compressed.has(mediaType)) return false
  const family = mediaType.slice(0, mediaType.indexOf('/'))
  if (mediaType.endsWith('+zip') || zipped.some((kind) => mediaType.startsWith(kind))) return false
  return !(family === 'image' || family === 'audio' || family === 'video') || plain.has(mediaType)
}

/** Whether gzip saves 5 % of the decoded bytes or more. */
export function isWorthGzip(decodedBytes: number, gzipBytes: number): boolean {
  return decodedBytes > 0 && gzipBytes <= decodedBytes * (1 - gzipSavingMin)
}

const zipped = [
  'application/vnd.oasis.opendocument.',
  'application/vnd.openxmlformats-officedocument.',
]

const compressed = new Set([
  'application/epub+zip',
  'application/gzip',
  'application/java-archive',
  'application/vnd.android.package-archive',
  'application/vnd.google-earth.kmz',
  'application/vnd.rar',
  'application/x-7z-compressed',
  'application/x-bzip2',
  'application/x-mobipocket-ebook',
  'application/x-xpinstall',
  'application/x-xz',
  'application/zip',
  'application/zstd',
  'font/woff',
  'font/woff2',
])

/** Images and audio without compression of their own. */
const plain = new Set([
  'audio/midi',
  'audio/wav',
  'image/bmp',
  'image/svg+xml',
  'image/tiff',
  'image/vnd.microsoft.icon',
])
