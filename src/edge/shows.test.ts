import { describe, expect, test } from 'bun:test'
import type { Shows } from '#site/visit/place.ts'
import { seen, type VisitOptions, visitedSite, visitSite } from '#tests/support/visitors/edge.ts'
import { SiteInMemory } from './site-in-memory.ts'

const samples = {
  'index.html': { body: 'home', gzip: true },
  'assets/index-BX3f9aQz.js': { body: 'js' },
  'd/a.txt': { body: 'a' },
  'ruled.html': { body: 'ruled' },
}
const headers = `/ruled.html
  Cache-Control: public, max-age=60
  CDN-Cache-Control: max-age=600
  X-Robots-Tag: all
  X-Own: 1
`
const settings = { $type: 'place.sitehost.settings', directoryListing: true } as const
const site = visitedSite(samples, { headers, redirects: '/old /new', settings })
const known = new SiteInMemory(site.known.site, () => undefined, {
  canonical: 'https://blog.test',
})
const visit = (path: string, shows: Shows, { headers = {}, method }: VisitOptions = {}) => {
  const options = { host: `none-${shows}.sites.test`, shows, headers, ...(method && { method }) }
  return seen(visitSite({ known, context: site.context }, path, options))
}

const must = 'public, max-age=0, must-revalidate'
const immutable = 'public, max-age=31536000, immutable'
const facts: [path: string, status: number, cacheControl: Record<Shows, string>][] = [
  ['/', 200, { live: must, version: immutable, preview: 'private, no-cache' }],
  [
    '/assets/index-BX3f9aQz.js',
    200,
    { live: immutable, version: immutable, preview: 'private, no-cache' },
  ],
  // A listing is ours, and may look otherwise with the next release.
  ['/d/', 200, { live: must, version: must, preview: 'private, no-cache' }],
  [
    '/old',
    301,
    {
      live: 'public, max-age=0',
      version: 'public, max-age=0',
      preview: 'private, no-cache',
    },
  ],
  ['/none', 404, { live: 'no-store', version: 'no-store', preview: 'no-store' }],
  [
    '/ruled.html',
    200,
    {
      live: 'public, max-age=60',
      version: 'public, max-age=60',
      preview: 'private, no-cache',
    },
  ],
]

describe.each<[Shows]>([['live'], ['version'], ['preview']])('where it shows the %s', (shows) => {
  test.each(facts)('%s', async (path, status, cacheControl) => {
    const answer = await visit(path, shows)
    expect([answer.status, answer.headers['cache-control']]).toEqual([status, cacheControl[shows]])
    expect(answer.headers['link']).toBe(`<https://blog.test${path}>; rel="canonical"`)
    const isRuled = shows === 'live' && path === '/ruled.html'
    const listed = isRuled ? 'all' : undefined
    expect(answer.headers['x-robots-tag']).toBe(shows === 'live' ? listed : 'noindex')
  })
})

test('a 304 says so too', async () => {
  const { headers: first } = await visit('/', 'preview')
  const again = await visit('/', 'preview', { headers: { 'if-none-match': first['etag'] ?? '' } })
  expect(again.status).toBe(304)
  expect(again.headers).toMatchObject({
    'cache-control': 'private, no-cache',
    'x-robots-tag': 'noindex',
    etag: first['etag'],
  })
})

test('no other cache field of the owner reaches a shared cache of a preview; other fields do', async () => {
  const [live, preview] = [
    await visit('/ruled.html', 'live'),
    await visit('/ruled.html', 'preview'),
  ]
  expect(live.headers['cdn-cache-control']).toBe('max-age=600')
  expect(preview.headers['cdn-cache-control']).toBeUndefined()
  expect(preview.headers['x-own']).toBe('1')
})

test('a page that differs by country is not immutable', async () => {
  const redirects = '/ /d/a.txt 200! Country=de'
  const abroad = visitedSite(samples, { redirects })
  const answer = await seen(visitSite(abroad, '/', { shows: 'version' }))
  expect([answer.status, answer.headers['cache-control']]).toEqual([200, must])
})

describe('a CDN that hears of changes', () => {
  const kept = (redirects: string) => {
    const { context, known } = visitedSite(samples, { headers, redirects, settings })
    const site = new SiteInMemory({ ...known.site, cdnSeconds: 60 }, () => undefined)
    return (path: string, shows: Shows) => {
      const answer = seen(visitSite({ known: site, context }, path, { shows }))
      return answer.then(({ headers }) => headers['cdn-cache-control'])
    }
  }
  const facts: [path: string, inCdn: string | undefined][] = [
    ['/', 'max-age=60'],
    ['/d/', 'max-age=60'],
    // Needs none: it never changes.
    ['/assets/index-BX3f9aQz.js', undefined],
    ['/old', undefined],
    ['/none', undefined],
    // The owner’s.
    ['/ruled.html', 'max-age=600'],
  ]
  test.each(facts)('may keep %s of a live site: %s', async (path, inCdn) => {
    expect(await kept('/old /new')(path, 'live')).toBe(inCdn)
  })
  test('may keep nothing for so long of versions and previews, nor where the country decides', async () => {
    const visit = kept('/old /new')
    expect([await visit('/', 'version'), await visit('/', 'preview')]).toEqual([
      undefined,
      undefined,
    ])
    expect(await kept('/old /new 302 Country=de')('/', 'live')).toBeUndefined()
  })
})
