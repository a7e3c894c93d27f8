import { mimes } from 'mrmime'
import { mediaTypeCharsMax } from './limits.ts'

/** The media type of a file by the extension of its name, without parameters. */
export function mediaTypeOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  return (dot > 0 && byExtension.get(name.slice(dot + 1).toLowerCase())) || octetStream
}

/**
 * The `Content-Type` of a file whose record claims this media type: the claim where it is one that
 * is safe to send, `application/octet-stream` where it is not; without a claim, by extension.
 * Text always says `charset=utf-8`. Visible ASCII and spaces only, whatever came in.
 */
export function contentTypeOf(mimeType: string | undefined, path: string): string {
  const { type, parameters } = parseMediaType(mimeType ?? mediaTypeOf(path)) ?? unknown
  const charset = isText(type) ? ['charset=utf-8'] : []
  return [type, ...charset, ...parameters].join('; ')
}

/** Whether a media type (without parameters) is text, so that it has a character encoding. */
export function isText(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') ||
    mediaType.endsWith('+json') ||
    mediaType.endsWith('+xml') ||
    textApplications.has(mediaType)
  )
}

interface MediaType {
  readonly type: string
  /** All but the charset. */
  readonly parameters: readonly string[]
}

const octetStream = 'application/octet-stream'
const unknown: MediaType = { type: octetStream, parameters: [] }

/** `null` for what is not a media type, is too long, or claims a charset other than UTF-8. */
function parseMediaType(input: string): MediaType | null {
  if (input.length > mediaTypeCharsMax) return null
  const [type = '', ...rest] = input
    .split(';')
    .map((piece) => piece.replace(/^[ \t]+|[ \t]+$/g, ''))
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type)) return null
  const parameters: string[] = []
  for (const piece of rest) {
    const [, name, value] = /^([\w-]+)=([\w!#$%&'*+.^`|~-]+|"[ !#-[\]-~]*")$/.exec(piece) ?? []
    if (name === undefined || value === undefined) return null
    if (name.toLowerCase() !== 'charset') {
      if (knownParameters.has(name.toLowerCase())) parameters.push(`${name.toLowerCase()}=${value}`)
    } else if (!/^"?utf-?8"?$/i.test(value)) return null
  }
  return { type: type.toLowerCase(), parameters }
}

// the others change nothing for a browser and are left out
const knownParameters = new Set(['codecs', 'profile', 'variant', 'version'])

const textApplications = new Set([
  'application/ecmascript',
  'application/javascript',
  'application/json',
  'application/json5',
  'application/toml',
  'application/xml',
])

const byExtension = new Map([
  ...Object.entries(mimes),
  // what mrmime lacks, and one that it names so that no browser would run it
  ['7z', 'application/x-7z-compressed'],
  ['apk', 'application/vnd.android.package-archive'],
  ['avi', 'video/x-msvideo'],
  ['bz2', 'application/x-bzip2'],
  ['cjs', 'text/javascript'],
  ['cur', 'image/vnd.microsoft.icon'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['eot', 'application/vnd.ms-fontobject'],
  ['flac', 'audio/flac'],
  ['glsl', 'text/plain'],
  ['ico', 'image/vnd.microsoft.icon'],
  ['ipynb', 'application/x-ipynb+json'],
  ['jfif', 'image/jpeg'],
  ['m3u8', 'application/vnd.apple.mpegurl'],
  ['mkv', 'video/x-matroska'],
  ['odp', 'application/vnd.oasis.opendocument.presentation'],
  ['ods', 'application/vnd.oasis.opendocument.spreadsheet'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['rar', 'application/vnd.rar'],
  ['srt', 'application/x-subrip'],
  ['tar', 'application/x-tar'],
  ['vcf', 'text/vcard'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['xz', 'application/x-xz'],
  ['zst', 'application/zstd'],
] as [string, string][])
