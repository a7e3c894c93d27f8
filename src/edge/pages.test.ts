import { expect, test } from 'bun:test'
import { fetchingPage, notFoundPage, plainPage, unavailablePage, unclaimedPage } from './pages.ts'

const pages: [Response, number][] = [
  [notFoundPage(), 404],
  [unclaimedPage(), 404],
  [fetchingPage(), 503],
  [unavailablePage(), 503],
  [plainPage(405, 'Method not allowed', { allow: 'GET' }), 405],
]
for (const [page, status] of pages) {
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
  expect(fetchingPage().headers.get('retry-after')).toBe('2')
  expect(unavailablePage().headers.get('retry-after')).toBe('2')
})
