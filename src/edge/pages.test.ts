import { expect, test } from 'bun:test'
import { OwnPages, plainPage } from './pages.ts'

const pages = new OwnPages(null)
const all: [Response, number][] = [
  [pages.notFound(), 404],
  [pages.unclaimed(), 404],
  [pages.fetching(), 503],
  [pages.unavailable(), 503],
  [pages.refused({ by: 'site_requests', retryAfterSeconds: 1 }), 429],
  [pages.refused({ by: 'account_bytes', retryAfterSeconds: 3600 }), 429],
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
    expect(html).not.toMatch(/<script|src=|href="[^"/]|url\(|@import/)
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(html) ?? []
    const hash = new Bun.CryptoHasher('sha256').update(style).digest('base64')
    expect(page.headers.get('content-security-policy')).toEndWith(`style-src 'sha256-${hash}'`)
  })
}

test('headers of the status go along', () => {
  expect(plainPage(405, 'Method not allowed', { allow: 'GET' }).headers.get('allow')).toBe('GET')
  expect(pages.fetching().headers.get('retry-after')).toBe('2')
  expect(pages.unavailable().headers.get('retry-after')).toBe('2')
  const refused = pages.refused({ by: 'site_bytes', retryAfterSeconds: 3600 })
  expect(refused.headers.get('retry-after')).toBe('3600')
})

const host = {
  name: 'A service with a name',
  origin: 'https://app.example',
  contact: 'mailto:somebody@app.example',
  termsUrl: 'https://app.example/terms',
  privacyUrl: 'https://app.example/privacy',
}

test('each has less than 3 kB', async () => {
  const hosted = new OwnPages(host)
  const htmls = [
    ...([404, 410, 451] as const).map((status) => hosted.missing(status, '/x').html),
    hosted.missing(404, '/').html,
    ...(await Promise.all(
      [
        ...[hosted.notFound(), hosted.unclaimed(), hosted.fetching(), hosted.unavailable()],
        ...(['site_requests', 'site_bytes', 'network_bytes'] as const).map((by) =>
          hosted.refused({ by, retryAfterSeconds: 1 }),
        ),
        ...[hosted.takenDown(451), hosted.gone('https://blog.sites.example')],
      ].map((page) => page.text()),
    )),
    hosted.listing('Contents of /', '<table></table>'),
  ]
  for (const html of htmls) expect(Buffer.byteLength(html)).toBeLessThan(3000)
})

test('a missing page has a way to the start of the site, the missing start has none', () => {
  expect(pages.missing(404, '/x').html).toContain('<a href="/">')
  expect(pages.missing(404, '/').html).not.toContain('href')
})

test('an address without a site has a way to publish one, where that is known', async () => {
  const html = await new OwnPages(host).unclaimed().text()
  expect(html).toContain('<p>Nothing is published at this address yet.</p>')
  expect(html).toContain('<a href="https://app.example/">Publish a site</a>')
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
