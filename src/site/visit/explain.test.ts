import { describe, expect, test } from 'bun:test'
import type { SiteSettings } from '#site/record/settings.ts'
import { parseDid } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { type Explanation, explain } from './explain.ts'
import { type ServableSite, servableSite } from './servable-site.ts'
import type { SnapshotFile } from './snapshot.ts'

interface Facts {
  readonly redirects?: string
  readonly headers?: string
  readonly settings?: Partial<SiteSettings>
}

function site(
  paths: readonly string[],
  { redirects = '', headers = '', settings }: Facts,
): ServableSite {
  const did = parseDid('did:plc:ewvi7nxzyoun6zhxrhs64oiz')
  const name = parseSiteName('blog')
  if (did === null || name === null) throw new Error('the fixtures are wrong')
  return servableSite({
    ...{ did, name, recordCid: 'r', publishedAt: 1, redirects, headers },
    settings: settings ? { $type: 'place.sitehost.settings', ...settings } : null,
    files: new Map(paths.map((path) => [path, file])),
  })
}

const file: SnapshotFile = {
  ...{ cid: 'c', hash: 'h', coding: 'identity', storedBytes: 1, bytes: 2 },
  contentType: 'text/html; charset=utf-8',
}

const navigation: Readonly<Record<string, string>> = { 'sec-fetch-mode': 'navigate' }

function explained(of: ServableSite, pathname: string): Explanation {
  const header = (name: string) => navigation[name] ?? null
  const request = { method: 'GET', pathname, search: '', host: 'blog.test', header, country: null }
  const place = { host: 'blog.test', pathname, isUnderBaseDomain: true } as const
  return explain(of, request, { ...place, shows: 'live', canonical: null })
}

const redirects = `# moved
/old /a.html 302
/a.html /elsewhere

/away/* /gone.html 410
/app/* /missing.html 200
/forced /b 301!`

describe('what decided', () => {
  const proof = '.well-known/acme-challenge/t'
  const known = site(['a.html', 'd/index.html', 'forced', '404.html', proof], { redirects })
  const rows: readonly (readonly [string, Partial<Explanation>])[] = [
    ['/d/', { status: 200, by: 'file', file: 'd/index.html', rule: null }],
    ['/.well-known/acme-challenge/t', { status: 404, by: 'reserved', file: null }],
    ['/d', { status: 308, by: 'file', location: '/d/', file: null }],
    ['/old', { status: 302, by: 'rule', rule: { line: 2, text: '/old /a.html 302' } }],
    ['/a.html', { by: 'file', overruled: { line: 3, text: '/a.html /elsewhere' } }],
    ['/away/x', { status: 410, by: 'rule', rule: { line: 5, text: '/away/* /gone.html 410' } }],
    ['/app/x', { status: 404, by: 'rule', file: '404.html' }],
    ['/forced', { by: 'forced-rule', rule: { line: 7, text: '/forced /b 301!' }, overruled: null }],
    ['/nothing', { status: 404, by: 'nothing', file: '404.html' }],
    ['/_redirects', { status: 404, by: 'reserved', file: '404.html' }],
    ['/%zz', { status: 400, by: 'request', headers: [] }],
  ]
  test.each(rows)('%s', (pathname, expected) => {
    expect(explained(known, pathname)).toMatchObject(expected)
  })

  test('settings', () => {
    const settings = { directoryListing: true, spaMode: 'a.html' }
    const listing = site(['a.html', 'd/x.txt'], { settings })
    expect(explained(listing, '/d/')).toMatchObject({ status: 200, by: 'listing', file: null })
    const page = { status: 200, by: 'application', file: 'a.html' } as const
    expect(explained(listing, '/any')).toMatchObject(page)
  })
})

describe('headers', () => {
  const known = site(['a.html'], {
    redirects: '/old /a.html',
    headers:
      '/a*\n  X-Frame-Options: DENY\n  ! Access-Control-Allow-Origin\n/a.html\n  X-Frame-Options: SAMEORIGIN',
    settings: { headers: [{ path: '/*', name: 'X-Powered-By', value: 'paper' }] },
  })
  const headerAt = (pathname: string, name: string) =>
    explained(known, pathname).headers.filter((header) => header.name === name)

  test('name the lines that made them, the one that counts last', () => {
    expect(headerAt('/a.html', 'x-frame-options')).toEqual([
      {
        name: 'x-frame-options',
        value: 'SAMEORIGIN',
        from: [
          { kind: 'file', line: 2 },
          { kind: 'file', line: 5 },
        ],
      },
    ])
  })

  test('of the settings and of the service', () => {
    const from = [{ kind: 'settings', index: 0 }] as const
    expect(headerAt('/a.html', 'x-powered-by')).toEqual([
      { name: 'x-powered-by', value: 'paper', from },
    ])
    expect(headerAt('/a.html', 'x-content-type-options')).toEqual([
      { name: 'x-content-type-options', value: 'nosniff', from: [] },
    ])
  })

  test('that the owner removed have no value', () => {
    expect(headerAt('/a.html', 'access-control-allow-origin')).toEqual([
      { name: 'access-control-allow-origin', value: null, from: [{ kind: 'file', line: 3 }] },
    ])
  })

  test('of a redirect and of a missing page', () => {
    expect(headerAt('/old', 'location')).toMatchObject([{ value: '/a.html' }])
    expect(headerAt('/none', 'cache-control')).toMatchObject([{ value: 'no-store' }])
  })
})
