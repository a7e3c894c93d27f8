import { expect, test } from 'bun:test'
import { routes } from '#api/contract/routes.ts'
import { testApi } from '#tests/support/api.ts'
import { literalsOf } from '#tests/support/literals-of.ts'

const api = testApi()

let rendered: Promise<string> | undefined
const page = () => {
  rendered ??= api()
    .request('/api/docs')
    .then((response) => response.text())
  return rendered
}
const matchesOf = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, group]) => String(group))

test('every declared route has its place, and is in the list of contents', async () => {
  const text = await page()
  for (const [name, route] of Object.entries(routes)) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    expect(text).toContain(
      `<h3 id="${name}"><span class="method">${route.method}</span> <code>${path}</code></h3>`,
    )
    expect(text).toContain(`<a href="#${name}">`)
  }
})

test('every link and label leads to something, and no id is there twice', async () => {
  const text = await page()
  const ids = matchesOf(text, / id="([^"]*)"/g)
  expect(ids.toSorted()).toEqual([...new Set(ids)].toSorted())
  const wanted = matchesOf(text, / (?:href="#|aria-labelledby=")([^"]*)"/g)
  expect(wanted.filter((id) => !ids.includes(id))).toEqual([])
  expect(wanted.length).toBeGreaterThan(Object.keys(routes).length)
})

test('it needs nothing that its policy forbids, and nothing from elsewhere', async () => {
  const text = await page()
  expect(text).not.toMatch(/<style|<script|\sstyle=|\son[a-z]+=/i)
  expect(matchesOf(text, /<[^>]* (?:src|href)="([^#"][^"]*)"/g)).toEqual([
    ...['/favicon.ico', '/fonts/geist-5.3.0.woff2', '/api/docs.css', '/', '/api/openapi.json'],
  ])
  const style = await api().request('/api/docs.css')
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8')
  const fetched = (await style.text()).match(/url\([^)]*\)|@import/g)
  expect<string[] | null>(fetched).toEqual([
    ...['url("/fonts/geist-5.3.0.woff2")', 'url("/fonts/geist-mono-5.3.0.woff2")'],
  ])
})

test('texts are escaped, once', async () => {
  const text = await page()
  expect(text).toContain('handle: string  // A handle, a DID')
  expect(text.match(/&amp;(?:lt|gt|quot|amp);|\[object|>undefined|`/g)).toBeNull()
})

test('every message that a route may answer with is on the page', async () => {
  const text = await page()
  const messages = Object.values(routes).flatMap((route) => literalsOf(route))
  const missing = messages.filter(({ text: said }) => !text.includes(escapeHtml(said)))
  expect(messages.length).toBeGreaterThan(100)
  expect(missing).toEqual([])
})

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll('<', '&lt;')
    .replaceAll("'", '&#39;')
