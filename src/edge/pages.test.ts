import { expect, test } from 'bun:test'
import { OwnPages, plainPage } from './pages.ts'

const pages = new OwnPages(null)
const all: [Response, number][] = [
  [pages.notFound(), 404],
  [pages.unclaimed(), 404],
  [pages.fetching(), 503],
  [pages.unavailable(), 503],
  [pages.takenDown(451), 451],
  [pages.takenDown(404), 404],
  [plainPage(405, 'Method not allowed', { allow: 'GET' }), 405],
]
for (const [page, status] of all) {
  test(`${status}: kept nowhere, without script, with one heading`, async () => {
    expect(page.status).toBe(status)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('content-security-policy')).toStartWith("default-src 'none'")
    const html = await page.text()
    expect(html).toStartWith('<!doctype html>\n<html lang="en">')
    expect(html.match(/<h1>[^<]+<\/h1>/g)).toHaveLength(1)
    expect(html).not.toMatch(/<script|src=|href=/)
  })
}

test('headers of the status go along', () => {
  expect(plainPage(405, 'Method not allowed', { allow: 'GET' }).headers.get('allow')).toBe('GET')
  expect(pages.fetching().headers.get('retry-after')).toBe('2')
  expect(pages.unavailable().headers.get('retry-after')).toBe('2')
})

test('say who hosts the site, as text, and link to what is set', async () => {
  const host = {
    name: 'Ann & <b>Bob</b>',
    origin: 'https://app.example',
    contact: 'mailto:help@app.example',
    termsUrl: 'https://app.example/"terms"',
    privacyUrl: null,
  }
  const html = await new OwnPages(host).notFound().text()
  const [, footer] = /<footer>(.*)<\/footer>/.exec(html) ?? []
  expect(footer).toBe(
    'Hosted by <a href="https://app.example/">Ann &#38; &#60;b&#62;Bob&#60;/b&#62;</a> · ' +
      '<a href="https://app.example/report">Report this site</a> · ' +
      '<a href="mailto:help@app.example">Contact</a> · ' +
      '<a href="https://app.example/&#34;terms&#34;">Terms</a>',
  )
})

test('a site that is taken down as missing looks like none', async () => {
  expect(await pages.takenDown(404).text()).toBe(await pages.notFound().text())
})
