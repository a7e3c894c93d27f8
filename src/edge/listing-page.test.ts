import { describe, expect, test } from 'bun:test'
import { directoryEntriesMax } from '#site/limits.ts'
import type { ListingEntry } from '#site/visit/listing.ts'
import { listingJson, listingPage, makeListing, wantsJson } from './listing-page.ts'
import { OwnPages } from './pages.ts'

const pages = new OwnPages(null)

const file = (name: string, bytes = 1): ListingEntry => ({
  kind: 'file',
  name,
  bytes,
  contentType: 'text/html; charset=utf-8',
})
const folder = (name: string): ListingEntry => ({ kind: 'directory', name })

describe('JSON is for who wants it more than a page', () => {
  test.each<[string | null, boolean]>([
    ['application/json', true],
    ['application/json, text/html;q=0.9', true],
    ['application/json;q=0.5, text/html', false],
    ['application/json, text/html', false],
    ['text/html,application/xhtml+xml,*/*;q=0.8', false],
    ['*/*', false],
    ['application/json;q=0', false],
    ['', false],
    [null, false],
  ])('%p: %p', (accept, isWanted) => expect(wantsJson(accept)).toBe(isWanted))
})

describe('a page of a directory', () => {
  test('has a row for each entry, with link, size and kind', () => {
    const page = listingPage('docs', [folder('a'), file('b.html', 999)], pages)
    expect(page).toContain('<h1>Contents of /docs/</h1>')
    expect(page).toContain(
      '<tr><td><a href="./a/"><bdi>a/</bdi></a></td><td></td><td>Folder</td></tr>',
    )
    expect(page).toContain(
      '<tr><td><a href="./b.html"><bdi>b.html</bdi></a></td><td>999 B</td><td>text/html</td></tr>',
    )
  })

  test('leads upwards, the root does not', () => {
    expect(listingPage('docs', [], pages)).toContain('<a href="../">..</a>')
    expect(listingPage('', [], pages)).not.toContain('<a ')
  })

  test.each([
    ['<script>alert(1)</script>', '%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ['"onmouseover=x', '%22onmouseover%3Dx'],
    ["it's", 'it&#39;s'],
    ['a&amp;b', 'a%26amp%3Bb'],
    ['javascript:x', 'javascript%3Ax'],
    ['..%2fx', '..%252fx'],
  ])('escapes %p', (name, href) => {
    const page = listingPage(name, [file(name)], pages)
    expect(page).toContain(`href="./${href}"`)
    expect(page.replaceAll('<bdi>', '')).not.toContain('<script')
    expect(page.match(/<title>[^<]*<\/title>/g)).toHaveLength(1)
    expect(page.match(/<h1>[^<]*<\/h1>/g)).toHaveLength(1)
  })

  test.each([
    ['a\u202egnp.exe', 'a\\u{202E}gnp.exe'],
    ['\u2066a\u2069', '\\u{2066}a\\u{2069}'],
    ['a\u200bb', 'a\\u{200B}b'],
    ['a\nb\u0085', 'a\\u{000A}b\\u{0085}'],
    ['\u2028', '\\u{2028}'],
    ['\u{E0041}', '\\u{E0041}'],
    ['שלום', 'שלום'],
  ])('shows what is invisible in %p', (name, shown) => {
    const page = listingPage(name, [file(name)], pages)
    expect(page).toContain(`<title>Contents of /${shown}/</title>`)
    expect(page).toContain(`<h1>Contents of /${shown}/</h1>`)
    expect(page).toContain(`<a href="./${encodeURIComponent(name)}"><bdi>${shown}</bdi></a>`)
  })
})

test('for programs it says the same', () => {
  expect(JSON.parse(listingJson('', [folder('<a>'), file('b', 2)]))).toEqual({
    path: '/',
    entries: [
      { kind: 'directory', name: '<a>' },
      { kind: 'file', name: 'b', bytes: 2, contentType: 'text/html; charset=utf-8' },
    ],
    more: 0,
  })
})

describe('entries beyond the limit are counted', () => {
  const files = (count: number) => Array.from({ length: count }, (_, i) => file(`${i}`))
  test.each([
    [directoryEntriesMax, directoryEntriesMax, 0],
    [directoryEntriesMax + 1, directoryEntriesMax, 1],
    [10 * directoryEntriesMax, directoryEntriesMax, 9 * directoryEntriesMax],
  ])('of %d are shown %d', (count, shown, more) => {
    const page = listingPage('', files(count), pages)
    expect(page.match(/<tr><td>/g)).toHaveLength(shown)
    expect(page.includes('which are not shown')).toBe(more > 0)
    if (more > 0) expect(page).toContain(`There are ${more} more`)
    const { entries, more: left } = JSON.parse(listingJson('', files(count)))
    expect([entries.length, left]).toEqual([shown, more])
  })
})

test('a listing has the tag of what it says', () => {
  const tag = (kind: 'page' | 'json', name: string) =>
    makeListing(kind, '', [file(name)], pages).etag
  expect(tag('page', 'a')).toBe(tag('page', 'a'))
  expect(new Set([tag('page', 'a'), tag('json', 'a'), tag('page', 'b')]).size).toBe(3)
})
