import { describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import type { Snapshot } from '#site/visit/snapshot.ts'
import {
  type Seen,
  seen,
  type VisitedSite,
  type VisitOptions,
  visitedSite,
  visitSite,
} from '#tests/support/visitors/edge.ts'
import type { SampleFile } from '#tests/support/visitors/served-site.ts'

// What is in memory changes how fast an answer is, and nothing else.

const text = 'Long enough to be worth another coding. '.repeat(100)
const samples: Record<string, SampleFile> = {
  'index.html': { body: `<h1>${text}</h1>`, gzip: true },
  'de.html': { body: `<h1>Deutsch ${text}</h1>`, gzip: true },
  '404.html': { body: '<h1>lost</h1>' },
  'a.css': { body: text, contentType: 'text/css; charset=utf-8' },
  'd/index.html': { body: 'index' },
  'd/ü.png': { body: 'png', contentType: 'image/png' },
}
const settings = { $type: 'place.sitehost.settings' as const }
const sites: Record<string, Partial<Snapshot>> = {
  'without rules': {},
  'with clean addresses': { settings: { ...settings, cleanUrls: true } },
  'with listings': { settings: { ...settings, directoryListing: true, indexFiles: [] } },
  'with one page for all': { settings: { ...settings, spaMode: 'index.html' } },
  'with conditions': {
    redirects: [
      '/ /de.html 200! Language=de',
      '/a.css /d/ 302! Cookie=moved',
      'http://other.test/d/* /index.html 200!',
      '/q k=:v /d/?v=:v 301',
      '/* /404.html 410',
    ].join('\n'),
  },
  'with headers': {
    headers: '/*.html\n  X-A: a\n/d/*\n  X-D: :splat\nhttps://other.test/*\n  X-O: o',
  },
}

const paths = [
  '/',
  '/index.html',
  '/index',
  '/404.html',
  '/a.css',
  '/d',
  '/d/',
  '/d/%C3%BC.png',
  '/q',
  '/no',
  '/%zz',
]
type AnyRequest = VisitOptions & { readonly path: string }

const anyRequest: fc.Arbitrary<AnyRequest> = fc.record({
  path: fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom('', '?k=1'))
    .map((pair) => pair.join('')),
  method: fc.constantFrom('GET', 'GET', 'HEAD', 'OPTIONS', 'POST'),
  host: fc.constantFrom('blog.test', 'other.test'),
  isUnderBaseDomain: fc.constant(false),
  headers: fc
    .record(
      {
        accept: fc.constantFrom('text/html', 'application/json'),
        'accept-encoding': fc.constantFrom('gzip', 'gzip, br', 'br;q=0.5', 'zstd', 'identity', '*'),
        'accept-language': fc.constantFrom('de', 'en'),
        cookie: fc.constantFrom('moved=1', 'other=1'),
        range: fc.constantFrom('bytes=0-3', 'bytes=-1', 'bytes=9999-'),
        'if-range': fc.constantFrom('*', '"x"'),
        'if-none-match': fc.constantFrom('*', '"x"'),
        'if-modified-since': fc.constant('Tue, 01 Jan 2030 00:00:00 GMT'),
      },
      { requiredKeys: [] },
    )
    .map((headers) => headers as Record<string, string>),
})

describe.each(Object.entries(sites))('a site %s', (_, facts) => {
  test('answers from memory what it would have answered without', async () => {
    const used = withoutRecompressor(visitedSite(samples, facts))
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const fresh = await answer(withoutRecompressor(visitedSite(samples, facts)), request)
        expect(await answer(used, request)).toEqual(fresh)
        expect(await answer(used, request)).toEqual(fresh)
      }),
      { numRuns: 300 },
    )
  })

  test('says the same in whatever codings there are', async () => {
    const used = visitedSite(samples, facts)
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const fresh = await answer(withoutRecompressor(visitedSite(samples, facts)), request)
        await answer(used, request)
        await used.context.recompressor.idle()
        expect(decoded(await answer(used, request))).toEqual(decoded(fresh))
      }),
      { numRuns: 100 },
    )
  })
})

function withoutRecompressor({ known, context }: VisitedSite): Parameters<typeof visitSite>[0] {
  return { known, context: { ...context, recompressor: { ask: () => undefined } } }
}

const answer = (site: Parameters<typeof visitSite>[0], { path, ...options }: AnyRequest) =>
  seen(visitSite(site, path, options))

/** The answer, but for what tells its coding. */
function decoded({ status, headers, body }: Seen) {
  const { 'content-encoding': coding, 'content-length': _, etag: __, ...rest } = headers
  return { status, headers: rest, body: body.length > 0 ? decode(body, coding) : '' }
}

function decode(body: Buffer, coding: string | undefined): string {
  if (coding === 'zstd') return zstdDecompressSync(body).toString()
  if (coding === 'br') return brotliDecompressSync(body).toString()
  return coding === 'gzip' ? gunzipSync(body).toString() : body.toString()
}
