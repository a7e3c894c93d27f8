import type { ListingEntry } from '#site/listing.ts'
import { parseWeights } from '#site/weights.ts'
import { htmlPage } from './pages.ts'

/** Whether a visitor who accepts this wants a listing as JSON more than as a page. */
export function wantsJson(accept: string | null): boolean {
  const weights = parseWeights(accept ?? '')
  return (weights.get('application/json') ?? 0) > (weights.get('text/html') ?? 0)
}

/** `path` is the directory's in the site, empty for the root. */
export function listingJson(path: string, entries: readonly ListingEntry[]): string {
  return JSON.stringify({ path: addressOf(path), entries })
}

/** The same for people. Names are escaped, whatever is in them. */
export function listingPage(path: string, entries: readonly ListingEntry[]): string {
  const up = path === '' ? '' : row('<a href="../">..</a>', '', 'Folder above')
  const title = `Contents of <bdi>${escapeHtml(addressOf(path))}</bdi>`
  return htmlPage(
    title,
    `<table>
<thead><tr><th scope="col">Name</th><th scope="col">Size</th><th scope="col">Kind</th></tr></thead>
<tbody>
${up}${entries.map(rowOf).join('')}</tbody>
</table>`,
  )
}

const addressOf = (path: string): string => (path === '' ? '/' : `/${path}/`)

function rowOf(entry: ListingEntry): string {
  const isFolder = entry.kind === 'directory'
  const slash = isFolder ? '/' : ''
  // Bidirectional text must not change what stands around it.
  const name = `<bdi>${escapeHtml(entry.name)}${slash}</bdi>`
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

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
