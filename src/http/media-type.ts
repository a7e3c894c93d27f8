import mime from 'mime'

/** Longer media types are neither kept nor sent to visitors. */
export const mediaTypeCharsMax = 255

/** The media type of the file at this path in a site, by its name, without parameters. */
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
 * The `Content-Type` of a file whose record claims this media type: the claim where it is one that
 * is safe to send, `application/octet-stream` where it is not; without a claim, by extension.
 * Text always says its charset, UTF-8 unless the claim has another. Visible ASCII and spaces only, whatever came in.
 */
export function contentTypeOf(mimeType: string | undefined, path: string): string {
  const { type, charset, parameters } = parseMediaType(mimeType ?? mediaTypeOf(path)) ?? unknown
  const ofText = isText(type) ? [`charset=${charset}`] : []
  return [type, ...ofText, ...parameters].join('; ')
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
  /** `utf-8` where none is claimed. */
  readonly charset: string
  /** All but the charset. */
  readonly parameters: readonly string[]
}

const octetStream = 'application/octet-stream'
const unknown: MediaType = { type: octetStream, charset: 'utf-8', parameters: [] }

/** `null` for what is not a media type, is too long, or claims UTF-7 or two charsets. */
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
 * Whether a `Content-Type` claims at most one charset, and one that is sent. Takes for a charset whatever some browser
 * might (several in a list, quoted, with backslashes); what else it says is not looked at.
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

/** A token, and not UTF-7: in that, what looks like harmless text may be a script. */
const isServedCharset = (charset: string): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(charset) && !/utf.?7/.test(charset)

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

/** Where the library has nothing, or what no browser or device would take. */
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

/** Names without an extension that browsers, devices and programs look for, by whole path. */
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
