import { afterAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { explain } from '#site/visit/explain.ts'
import { seen, visitedSite, visitSite } from '#tests/support/visitors/edge.ts'

// What an explanation says of an address is what visitors of it get.

const site = visitedSite(
  {
    'a.html': { body: '<h1>a</h1>', gzip: true },
    'd/x.txt': { body: 'x', contentType: 'text/plain; charset=utf-8' },
    'errors/404.html': { body: 'none' },
  },
  {
    settings: { $type: 'place.sitehost.settings', directoryListing: true },
    redirects: '/old /a.html 302\n/gone /missing.html 410\n',
    headers:
      '/*\n  Cache-Control: max-age=60\n  X-Frame-Options: DENY\n  Link: </a.css>; rel=preload\n  ! Access-Control-Expose-Headers\n  Content-Type: text/x\n',
  },
)
afterAll(() => rm(site.scratch, { recursive: true, force: true }))

const browser = { accept: 'text/html,*/*;q=0.8', 'sec-fetch-mode': 'navigate' }
const [host, isUnderBaseDomain, shows] = ['blog.test', true, 'live'] as const
/** They depend on the body and on what the browser accepts. */
const ofBody = ['content-encoding', 'content-length', 'etag']

test.each(['/a.html', '/d/', '/old', '/gone', '/none', '/errors/none'])('%s', async (pathname) => {
  const header = (name: string) => new Headers(browser).get(name)
  const request = { method: 'GET', pathname, search: '', host, header, country: null }
  const place = { host, pathname, isUnderBaseDomain, shows, canonical: null }
  const explained = explain(site.known.site, request, place)
  const sent = await seen(visitSite(site, pathname, { headers: browser, isUnderBaseDomain }))
  const headers = explained.headers.filter(({ value }) => value !== null)
  expect(explained.status).toBe(sent.status)
  expect(Object.fromEntries(headers.map(({ name, value }) => [name, value]))).toEqual(
    Object.fromEntries(Object.entries(sent.headers).filter(([name]) => !ofBody.includes(name))),
  )
})
