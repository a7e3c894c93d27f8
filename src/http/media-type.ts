import mime from 'mime'

/** Longer media types are neither stored nor sent. */
export const mediaTypeCharsMax = 255

/** The media type of a site's file by its name, without parameters. */
export function mediaTypeOf(path: string): string {
  return byPath.get(path) ?? mediaTypeOfName(path.slice(path.lastIndexOf('/') + 1)) ?? octetStream
}

function mediaTypeOfName(name: string): string | null {
  const dot = name.lastIndexOf('.')
  if (dot <= 0) return null
  const extension = name.slice(dot + 1).toLowerCase()
  return byExtension.get(extension) ?? mime.getType(extension)
}

/**
 * The `Content-Type` of a file: the media type that the record claims if it is safe, otherwise
 * `application/octet-stream`; without a claim, by extension. Text always has a charset, UTF-8 by default. The result
 * is visible ASCII and spaces for any input.
 */
export function contentTypeOf(mimeType: string | undefined, path: string): string {
  const { type, charset, parameters } = parseMediaType(mimeType ?? mediaTypeOf(path)) ?? unknown
  const ofText = isText(type) ? [`charset=${charset}`] : []
  return [type, ...ofText, ...parameters].join('; ')
}

/** Whether a media type (without parameters) is text, and so has a charset. */
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
  /** Default `utf-8`. */
  readonly charset: string
  /** All but the charset. */
  readonly parameters: readonly string[]
}

const octetStream = 'application/octet-stream'
const unknown: MediaType = { type: octetStream, charset: 'utf-8', parameters: [] }

/** Null for a string that is not a media type, is too long, or claims UTF-7 or two charsets. */
function parseMediaType(input: string): MediaType | null {
  if (input.length > mediaTypeCharsMax) return null
  const [type = '', ...rest] = input
    .split(';')
    .map((piece) => piece.replace(/^[ \t]+|[ \t]+$/g, ''))
  if (!/^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type)) return null
  const parameters: string[] = []
  const charsets = new Set<string>()
  for (const piece of rest) {
    const [, name, value] = /^([\w-]+)=([\w!#$%&'*+.^`|~-]+|"[ !#-[\]-~]*")$/.exec(piece) ?? []
    if (name === undefined || value === undefined) return null
    if (name.toLowerCase() !== 'charset') {
      if (knownParameters.has(name.toLowerCase())) parameters.push(`${name.toLowerCase()}=${value}`)
    } else charsets.add(plainCharset(value))
  }
  const [charset = 'utf-8', second] = charsets
  if (second !== undefined || !isServedCharset(charset)) return null
  return { type: type.toLowerCase(), charset, parameters }
}

/**
 * Whether a `Content-Type` claims at most one charset, and a safe one. Recognises every form that some browser might
 * (in a list, quoted, with backslashes); ignores everything else.
 */
export function claimsServedCharset(contentType: string): boolean {
  const claims = contentType.matchAll(/(?:^|[\s;,])charset\s*=([^;,]*)/gi)
  const charsets = new Set([...claims].map(([, value = '']) => plainCharset(value)))
  return charsets.size <= 1 && [...charsets].every(isServedCharset)
}

const plainCharset = (value: string): string =>
  value
    .trim()
    .replaceAll('\\', '')
    .replace(/^"(.*)"$/, '$1')
    .toLowerCase()
    .replace(/^utf8$/, 'utf-8')

/** A token, and not UTF-7, in which harmless-looking text may be a script. */
const isServedCharset = (charset: string): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(charset) && !/utf.?7/.test(charset)

// Browsers ignore all others, which are dropped.
const knownParameters = new Set(['codecs', 'profile', 'variant', 'version'])

const textApplications = new Set([
  'application/ecmascript',
  'application/javascript',
  'application/json',
  'application/json5',
  'application/toml',
  'application/xml',
])

/** Extensions that the library does not know, or maps to a type that browsers or devices do not accept. */
const byExtension = new Map([
  ['cjs', 'text/javascript'],
  ['cur', 'image/vnd.microsoft.icon'],
  // RFC 9639
  ['flac', 'audio/flac'],
  ['glsl', 'text/plain'],
  ['jfif', 'image/jpeg'],
  ['mobileconfig', 'application/x-apple-aspen-config'],
  ['parquet', 'application/vnd.apache.parquet'],
  ['tgz', 'application/gzip'],
  // RFC 6350
  ['vcf', 'text/vcard'],
  ['zst', 'application/zstd'],
])

const appleAppSites = 'apple-app-site-association'
const wellKnown = '.well-known'

/** Well-known files without an extension, by whole path. */
const byPath = new Map([
  [appleAppSites, 'application/json'],
  [`${wellKnown}/${appleAppSites}`, 'application/json'],
  [`${wellKnown}/api-catalog`, 'application/linkset+json'],
  [`${wellKnown}/atproto-did`, 'text/plain'],
  [`${wellKnown}/host-meta`, 'application/xrd+xml'],
  [`${wellKnown}/matrix/client`, 'application/json'],
  [`${wellKnown}/matrix/server`, 'application/json'],
  [`${wellKnown}/matrix/support`, 'application/json'],
  [`${wellKnown}/nodeinfo`, 'application/json'],
  [`${wellKnown}/oauth-authorization-server`, 'application/json'],
  [`${wellKnown}/oauth-protected-resource`, 'application/json'],
  [`${wellKnown}/openid-configuration`, 'application/json'],
  [`${wellKnown}/passkey-endpoints`, 'application/json'],
  [`${wellKnown}/traffic-advice`, 'application/trafficadvice+json'],
  [`${wellKnown}/web-identity`, 'application/json'],
  [`${wellKnown}/webauthn`, 'application/json'],
  [`${wellKnown}/webfinger`, 'application/jrd+json'],
])
