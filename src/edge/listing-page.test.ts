import { describe, expect, test } from 'bun:test'
import type { ListingEntry } from '#site/listing.ts'
import { listingJson, listingPage, wantsJson } from './listing-page.ts'

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
    const page = listingPage('docs', [folder('a'), file('b.html', 999)])
    expect(page).toContain('<h1>Contents of <bdi>/docs/</bdi></h1>')
    expect(page).toContain(
      '<tr><td><a href="./a/"><bdi>a/</bdi></a></td><td></td><td>Folder</td></tr>',
    )
    expect(page).toContain(
      '<tr><td><a href="./b.html"><bdi>b.html</bdi></a></td><td>999 bytes</td><td>text/html</td></tr>',
    )
  })

  test('leads upwards, the root does not', () => {
    expect(listingPage('docs', [])).toContain('<a href="../">..</a>')
    expect(listingPage('', [])).not.toContain('<a ')
  })

  test.each<[number, string]>([
    [0, '0 bytes'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [999_999, '1000.0 kB'],
    [1_000_000, '1.0 MB'],
  ])('says %d as %s', (bytes, size) => {
    expect(listingPage('', [file('x', bytes)])).toContain(`<td>${size}</td>`)
  })

  test.each([
    ['<script>alert(1)</script>', '%3Cscript%3Ealert(1)%3C%2Fscript%3E'],
    ['"onmouseover=x', '%22onmouseover%3Dx'],
    ["it's", 'it&#39;s'],
    ['a&amp;b', 'a%26amp%3Bb'],
    ['javascript:x', 'javascript%3Ax'],
    ['..%2fx', '..%252fx'],
    ['\u202egnp.exe', '%E2%80%AEgnp.exe'],
  ])('escapes %p', (name, href) => {
    const page = listingPage(name, [file(name)])
    expect(page).toContain(`href="./${href}"`)
    expect(page.replaceAll('<bdi>', '')).not.toContain('<script')
    expect(page.match(/<h1>[^<]*<bdi>[^<]*<\/bdi><\/h1>/g)).toHaveLength(1)
  })
})

test('for programs it says the same', () => {
  expect(JSON.parse(listingJson('', [folder('<a>'), file('b', 2)]))).toEqual({
    path: '/',
    entries: [
      { kind: 'directory', name: '<a>' },
      { kind: 'file', name: 'b', bytes: 2, contentType: 'text/html; charset=utf-8' },
    ],
  })
})
