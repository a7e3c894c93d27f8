import { escapeHtml } from '#http/escape-html.ts'
import { parseWeights } from '#http/quality-values.ts'
import { byteText } from '#site/byte-text.ts'
import { directoryEntriesMax } from '#site/limits.ts'
import type { ListingEntry } from '#site/visit/listing.ts'
import type { ListingKind } from '#site/visit/own-answers.ts'
import type { OwnPages } from './pages.ts'

/** The contents of a directory, ready to send. */
export interface Listing {
  readonly body: Blob
  /** Strong, with quotes. */
  readonly etag: string
}

/** Whether a visitor who accepts this wants a listing as JSON more than as a page. */
export function wantsJson(accept: string | null): boolean {
  const weights = parseWeights(accept ?? '')
  return (weights.get('application/json') ?? 0) > (weights.get('text/html') ?? 0)
}

/** How links begin: relative to the directory, or, where the root is listed at another address, from there. */
type LinksFrom = './' | '/'

/** Lists the first 500 entries, and counts the others. `path` is empty for the root. */
export function makeListing(
  kind: ListingKind,
  path: string,
  entries: readonly ListingEntry[],
  pages: OwnPages,
  from?: LinksFrom,
): Listing {
  const text =
    kind === 'json' ? listingJson(path, entries) : listingPage(path, entries, pages, from)
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return { body: new Blob([text]), etag: `"${hash}"` }
}

export function listingJson(path: string, entries: readonly ListingEntry[]): string {
  const { shown, more } = firstOf(entries)
  return JSON.stringify({ path: addressOf(path), entries: shown, more })
}

/** Escapes names, whatever they contain. */
export function listingPage(
  path: string,
  entries: readonly ListingEntry[],
  pages: OwnPages,
  from: LinksFrom = './',
): string {
  const { shown, more } = firstOf(entries)
  const up = path === '' ? '' : row('<a href="../">..</a>', '', 'Folder above')
  return pages.listing(
    `Contents of ${escapeText(addressOf(path))}`,
    `<table>
<thead><tr><th scope="col">Name</th><th scope="col">Size</th><th scope="col">Type</th></tr></thead>
<tbody>
${up}${shown.map((entry) => rowOf(entry, from)).join('')}</tbody>
</table>${more === 0 ? '' : `\n<p>There are ${more} more, which are not shown.</p>`}`,
  )
}

const addressOf = (path: string): string => (path === '' ? '/' : `/${path}/`)

function firstOf(entries: readonly ListingEntry[]) {
  const shown = entries.slice(0, directoryEntriesMax)
  return { shown, more: entries.length - shown.length }
}

function rowOf(entry: ListingEntry, from: LinksFrom): string {
  const isFolder = entry.kind === 'directory'
  const slash = isFolder ? '/' : ''
  // A name in Hebrew or Arabic must not reorder the text around it.
  const name = `<bdi>${escapeText(entry.name)}${slash}</bdi>`
  const link = `<a href="${escapeHtml(`${from}${encodeURIComponent(entry.name)}${slash}`)}">${name}</a>`
  return isFolder
    ? row(link, '', 'Folder')
    : row(link, byteText(entry.bytes), escapeHtml(entry.contentType.split(';', 1)[0] ?? ''))
}

const row = (name: string, size: string, kind: string): string =>
  `<tr><td>${name}</td><td>${size}</td><td>${kind}</td></tr>\n`

/** Shows invisible characters, which could change how the rest is read, as `\u{202E}`. */
function escapeText(name: string): string {
  const codeOf = (char: string) => char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
  return escapeHtml(name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${codeOf(char)}}`))
}
