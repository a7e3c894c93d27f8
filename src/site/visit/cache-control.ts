import type { HeaderList } from '#http/header-fields.ts'
import { encodeAddress } from './addresses.ts'
import type { Place } from './place.ts'
import type { ServableSite } from './servable-site.ts'

/** `Cache-Control` of a file of a site, at an address that may not be the file's own. */
export function cacheControlAt(
  { pathname, shows }: Place,
  path: string,
  { redirects }: ServableSite,
): string {
  // No `Vary` tells caches of the visitor's country.
  if (shows === 'version' && !redirects.readsCountry) return immutable
  // A rule may show a hashed asset at an address that does not change with its content.
  const isOwnAddress = encodeAddress({ path, isDirectory: false }) === pathname
  return isOwnAddress ? cacheControlOf(path) : mustRevalidate
}

/** Of the file at this path, at its own address. */
export const cacheControlOf = (path: string): string =>
  isHashedAsset(path) ? immutable : mustRevalidate

/** At an address that never shows anything else. */
export const immutable = 'public, max-age=31536000, immutable'

/** Of files and listings. */
export const mustRevalidate = 'public, max-age=0, must-revalidate'

/** Of previews: browsers ask each time whether it is still the same. */
export const previewCacheControl = 'private, no-cache'

/** Of redirects of the live site: rules, names and addresses may change with the next version. */
export const redirectCacheControl = 'public, max-age=0'

/** Of the site's redirects. */
export const ruledRedirectCacheControl = ({ shows }: Place): string =>
  shows === 'preview' ? previewCacheControl : redirectCacheControl

/**
 * Replaces all of the owner's cache fields with this `Cache-Control`, for responses other than a file's content: a
 * browser that caches a 404 for a year would not see the file when it exists.
 */
export function withCacheControl(fields: HeaderList, cacheControl: string): HeaderList {
  const others = fields.filter(([name]) => !isForCaches(name))
  return [...others, ['cache-control', cacheControl]]
}

/**
 * Adds how long a CDN may keep the answer (RFC 9213), where browsers revalidate it and the owner says nothing else. Not of
 * versions, which do not change, or previews, nor where a visitor's country decides.
 */
export function withCdnSeconds(
  fields: HeaderList,
  { cdnSeconds, redirects }: ServableSite,
  { shows }: Place,
): HeaderList {
  if (cdnSeconds === 0 || shows !== 'live' || redirects.readsCountry) return fields
  const forAll = fields.filter(([name]) => isForCaches(name))
  if (forAll.length !== 1 || forAll[0]?.[1] !== mustRevalidate) return fields
  return [...fields, ['cdn-cache-control', `max-age=${cdnSeconds}`]]
}

/** Includes `CDN-Cache-Control` (RFC 9213), `Netlify-CDN-Cache-Control`, `Cloudflare-CDN-Cache-Control`. */
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
 * Whether a build tool put a content hash into this file's name: it is in a directory of such a tool, and a part of
 * its name looks random. Prefers to miss a hash: a false match would keep an old file in browsers for a year. Linear.
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

const toolDirectories = ['_astro', '_next/static', '_nuxt', '_app/immutable', 'assets']
const toolDirectory = new RegExp(`(?:^|/)(?:${toolDirectories.join('|')})/`)

/** Whether a string of paths may contain a hashed asset; much faster than parsing each path. */
export const mayNameHashedAsset = (text: string): boolean =>
  toolDirectories.some((name) => text.includes(`${name}/`))

/** Fonts and pictures have names such as `OpenSans-SemiBold`; scripts hardly ever do. */
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

/** Hashes of webpack, esbuild, Sprockets and older Vite; not `20240115`, `facade01`, `2024cafe`. */
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

/** Hashes of Rollup and Vite: base64url, so `-` and `_` may be inside a hash or separate it from the name. */
const base64HashChars = 8

const isEdge = (char: string | undefined): boolean =>
  char === undefined || char === '-' || char === '_'

/** Whether a piece is not words and numbers, as `SemiBold`, `iPhone15` and `1080x720` are. */
function isRandom(hash: string): boolean {
  return /^[\w-]+$/.test(hash) && !hash.split(/[-_]/).every((piece) => wordAndNumber.test(piece))
}

const wordAndNumber = /^(?:\d*[a-z]*(?:[A-Z][a-z]+)*\d*|[A-Z]+\d*)$/

const isMixed = (hash: string): boolean =>
  /^[A-Za-z\d]+$/.test(hash) && /[A-Z]/.test(hash) && /[a-z]/.test(hash)
