import { parseWeights } from '#http/weights.ts'
import { directoryEntriesMax } from '#site/limits.ts'
import type { ListingEntry } from '#site/visit/listing.ts'
import { htmlPage } from './pages.ts'

/** For people, or for programs. */
export type ListingKind = 'page' | 'json'

/** What a directory holds, as it goes out. */
export interface Listing {
  readonly body: Blob
  /** Strong, with its quotes. */
  readonly etag: string
}

/** Whether a visitor who accepts this wants a listing as JSON more than as a page. */
export function wantsJson(accept: string | null): boolean {
  const weights = parseWeights(accept ?? '')
  return (weights.get('application/json') ?? 0) > (weights.get('text/html') ?? 0)
}

/** Of more than 500 entries the first, and how many more there are. `path` is empty for the root. */
export function makeListing(
  kind: ListingKind,
  path: string,
  entries: readonly ListingEntry[],
): Listing {
  const text = (kind === 'json' ? listingJson : listingPage)(path, entries)
  const hash = new Bun.CryptoHasher('sha256').update(text).digest('hex')
  return { body: new Blob([text]), etag: `"${hash}"` }
}

/** `path` is the directory's in the site, empty for the root. `more` counts the entries that are left out. */
export function listingJson(path: string, entries: readonly ListingEntry[]): string {
  const { shown, more } = firstOf(entries)
  return JSON.stringify({ path: addressOf(path), entries: shown, more })
}

/** The same for people. Names are escaped, whatever is in them. */
export function listingPage(path: string, entries: readonly ListingEntry[]): string {
  const { shown, more } = firstOf(entries)
  const up = path === '' ? '' : row('<a href="../">..</a>', '', 'Folder above')
  return htmlPage(
    `Contents of ${escapeText(addressOf(path))}`,
    `<table>
<thead><tr><th scope="col">Name</th><th scope="col">Size</th><th scope="col">Kind</th></tr></thead>
<tbody>
${up}${shown.map(rowOf).join('')}</tbody>
</table>${more === 0 ? '' : `\n<p>There are ${more} more, which are not shown.</p>`}`,
  )
}

const addressOf = (path: string): string => (path === '' ? '/' : `/${path}/`)

function firstOf(entries: readonly ListingEntry[]): {
  readonly shown: readonly ListingEntry[]
  readonly more: number
} {
  const shown = entries.slice(0, directoryEntriesMax)
  return { shown, more: entries.length - shown.length }
}

function rowOf(entry: ListingEntry): string {
  const isFolder = entry.kind === 'directory'
  const slash = isFolder ? '/' : ''
  // A name in Hebrew or Arabic must not change what stands around it.
  const name = `<bdi>${escapeText(entry.name)}${slash}</bdi>`
  const link = `<a href="${escapeHtml(`./${encodeURIComponent(entry.name)}${slash}`)}">${name}</a>`
  return isFolder
    ? row(link, '', 'Folder')
    : row(link, sizeOf(entry.bytes), escapeHtml(entry.contentType.split(';', 1)[0] ?? ''))
}

const row = (name: string, size: string, kind: string): string =>
  `<tr><td>${name}</td><td>${size}</td><td>${kind}</td></tr>\n`

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(1)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** What cannot be seen, and would change how the rest is read, is shown as `\u{202E}`. */
function escapeText(name: string): string {
  const visible = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) => {
    return `\\u{${char.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}}`
  })
  return escapeHtml(visible)
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
