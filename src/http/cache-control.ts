import type { HeaderList } from './header-fields.ts'

/** For how long visitors may keep the file at this path in a site without asking again. */
export function cacheControlOf(path: string): string {
  return isHashedAsset(path)
    ? 'public, max-age=31536000, immutable'
    : 'public, max-age=0, must-revalidate'
}

/**
 * The fields of an answer that is not a file's content, with this `Cache-Control` in place of all that the
 * owner says to caches: a 404 that a browser keeps for a year is one when the file is there.
 */
export function withCacheControl(fields: HeaderList, cacheControl: string): HeaderList {
  const others = fields.filter(([name]) => !isForCaches(name))
  return [...others, ['cache-control', cacheControl]]
}

/** `CDN-Cache-Control` (RFC 9213) and its kin: `Netlify-CDN-Cache-Control`, `Cloudflare-CDN-Cache-Control`. */
const isForCaches = (name: string): boolean =>
  forCaches.has(name) || name.endsWith('-cache-control')

const forCaches = new Set([
  'cache-control',
  'edge-control',
  'expires',
  'pragma',
  'surrogate-control',
])

/**
 * Whether a build tool named this file after its content, so that another content has another name: it is
 * in a directory of such a tool, and a part of its name looks random. Better misses one than takes a name
 * that a person made for a hash: that would keep an old file on screens for a year. Linear.
 */
export function isHashedAsset(path: string): boolean {
  if (!toolDirectory.test(path)) return false
  const [extension = '', ...parts] = path
    .slice(path.lastIndexOf('/') + 1)
    .split('.')
    .toReversed()
  const isCode = code.has(extension)
  return parts.some((part, i) => holdsHash(part, isCode, i < parts.length - 1))
}

const toolDirectory = /(?:^|\/)(?:_astro|_next\/static|_nuxt|_app\/immutable|assets)\//

/** People give fonts and pictures names such as `OpenSans-SemiBold`, scripts hardly ever. */
const code = new Set(['css', 'js', 'map', 'mjs'])

function holdsHash(part: string, isCode: boolean, isAfterName: boolean): boolean {
  if (part.split(/[-_~]/).some(isHexHash)) return true
  for (let at = 0; at + base64HashChars <= part.length; at++) {
    const hash = part.slice(at, at + base64HashChars)
    if (!isEdge(part[at - 1]) || !isEdge(part[at + base64HashChars])) continue
    if (isRandom(hash) || (isCode && (isAfterName || at > 0) && isMixed(hash))) return true
  }
  return false
}

/** Of webpack, esbuild, Sprockets and older Vite; not `20240115`, `facade01`, `2024cafe`. */
function isHexHash(piece: string): boolean {
  return (
    hexHashChars.has(piece.length) &&
    /^[0-9a-f]+$/.test(piece) &&
    /[a-f]/.test(piece) &&
    /\d/.test(piece) &&
    !/^(?:[a-f]{3,}\d+|\d{4}[a-f]{4})$/.test(piece)
  )
}

const hexHashChars = new Set([8, 10, 12, 16, 20, 24, 32, 40, 64])

/** Rollup's, so Vite's: base64url, whose `-` and `_` also end the name before it. */
const base64HashChars = 8

const isEdge = (char: string | undefined): boolean =>
  char === undefined || char === '-' || char === '_'

/** Has a piece that is no word, no number, and not both, as `SemiBold`, `iPhone15` and `1080x720` are. */
function isRandom(hash: string): boolean {
  return /^[\w-]+$/.test(hash) && !hash.split(/[-_]/).every((piece) => wordAndNumber.test(piece))
}

const wordAndNumber = /^(?:\d*[a-z]*(?:[A-Z][a-z]+)*\d*|[A-Z]+\d*)$/

const isMixed = (hash: string): boolean =>
  /^[A-Za-z\d]+$/.test(hash) && /[A-Z]/.test(hash) && /[a-z]/.test(hash)
