import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Decision, resolve } from './resolve.ts'
import { parseDid } from './site-address.ts'
import { parseSiteName } from './site-name.ts'
import type { Snapshot } from './snapshot.ts'

/** A site that holds these files; the hash of each is its own path. */
function site(...paths: string[]): Snapshot {
  const did = parseDid('did:plc:ewvi7nxzyoun6zhxrhs64oiz')
  const name = parseSiteName('blog')
  if (did === null || name === null) throw new Error('the fixtures are wrong')
  const files = paths.map((path) => [path, { ...anyFile, hash: path }] as const)
  return { did, name, recordCid: 'r', publishedAt: 1, files: new Map(files) }
}

const anyFile = {
  cid: 'c',
  coding: 'gzip',
  storedBytes: 1,
  bytes: 2,
  contentType: 'text/html',
} as const

/** In one line: `200 index.html`, `308 /d/`, or what else was decided. */
function visit(snapshot: Snapshot, pathname: string, method = 'GET', search = ''): string {
  const decision = resolve(snapshot, { method, pathname, search })
  if (decision.kind === 'file') return `${decision.status} ${decision.file.hash}`
  if (decision.kind === 'redirect') return `${decision.status} ${decision.location}`
  return decision.kind
}

type Row = [files: string[], pathname: string, answer: string]

const withoutCleanUrls: Row[] = [
  [['index.html'], '/', '200 index.html'],
  [['index.html'], '/index.html', '200 index.html'],
  [['index.html'], '/index', 'not-found'],
  [['a.html'], '/', 'not-found'],
  [['a.html'], '/a.html', '200 a.html'],
  [['a.html'], '/a', 'not-found'],
  [['a.html'], '/a/', 'not-found'],
  [['a.html'], '/a.html/', 'not-found'],
  [['d/index.html'], '/d/', '200 d/index.html'],
  [['d/index.html'], '/d', '308 /d/'],
  [['d/index.html'], '/d/index.html', '200 d/index.html'],
  [['d/index.html'], '/d.html', 'not-found'],
  [['d/index.html'], '/d/index', 'not-found'],
  [['d/other.html'], '/d', 'not-found'],
  [['d/other.html'], '/d/', 'not-found'],
  [['b.html', 'b/index.html'], '/b', '308 /b/'],
  [['b.html', 'b/index.html'], '/b/', '200 b/index.html'],
  [['b.html', 'b/index.html'], '/b.html', '200 b.html'],
  [['x', 'x.html'], '/x', '200 x'],
  [['x', 'x.html'], '/x.html', '200 x.html'],
  [['[y].html'], '/[y]', 'not-found'],
  [['[y].html'], '/%5By%5D.html', '200 [y].html'],
]

const hostile: Row[] = [
  [['index.html'], '/..%2f..%2fetc/passwd', 'bad-request'],
  [['index.html'], '/%00', 'bad-request'],
  [['index.html'], '/a%zz', 'bad-request'],
  [['index.html'], `/${'a'.repeat(4096)}`, 'uri-too-long'],
  [['evil.com/x/index.html'], '//evil.com/x', '308 /evil.com/x/'],
  [['evil.com/index.html'], '///evil.com', '308 /evil.com/'],
  [['%2e%2e%2fx'], '/%252e%252e%252fx', '200 %2e%2e%2fx'],
  [['%2e%2e%2fx'], '/%2e%2e%2fx', 'bad-request'],
  [['__proto__', 'constructor'], '/__proto__', '200 __proto__'],
  [['index.html'], '/constructor', 'not-found'],
  [['Index.html', 'index.html'], '/Index.html', '200 Index.html'],
  [['index.html'], '/INDEX.HTML', 'not-found'],
]

const reserved: Row[] = [
  [['_redirects'], '/_redirects', 'not-found'],
  [['_headers'], '/_headers', 'not-found'],
  [['_headers'], '//_headers', 'not-found'],
  [['_headers'], '/%5fheaders', 'not-found'],
  [['.sitehostignore'], '/.sitehostignore', 'not-found'],
  [['docs/_headers'], '/docs/_headers', '200 docs/_headers'],
  [['_headers.html'], '/_headers.html', '200 _headers.html'],
  [['.well-known/atproto-did'], '/.well-known/atproto-did', '200 .well-known/atproto-did'],
]

const encoded: Row[] = [
  [['über uns/index.html'], '/%C3%BCber%20uns', '308 /%C3%BCber%20uns/'],
  [['a b/index.html'], '/a%20b', '308 /a%20b/'],
  [['a?b/index.html'], '/a%3Fb', '308 /a%3Fb/'],
  [['caf\u00e9.html'], '/caf%C3%A9.html', '200 caf\u00e9.html'],
  [['caf\u00e9.html'], '/cafe%CC%81.html', '200 caf\u00e9.html'],
  [['cafe\u0301.html'], '/caf%C3%A9.html', '200 cafe\u0301.html'],
  [['cafe\u0301.html', 'caf\u00e9.html'], '/caf%C3%A9.html', '200 caf\u00e9.html'],
  [['cafe\u0301.html', 'caf\u00e9.html'], '/cafe%CC%81.html', '200 cafe\u0301.html'],
  [['cafe\u0301/index.html'], '/caf%C3%A9', '308 /caf%C3%A9/'],
  [['cafe\u0301/index.html'], '/caf%C3%A9/', '200 cafe\u0301/index.html'],
  [['\u212a'], '/K', '200 \u212a'],
]

describe.each([
  ['files and addresses', withoutCleanUrls],
  ['hostile paths', hostile],
  ['reserved files', reserved],
  ['encoded and composed names', encoded],
])('%s', (_, rows) => {
  test.each(rows)('a site with %j answers %s with %s', (files, pathname, answer) => {
    expect(visit(site(...files), pathname)).toBe(answer)
    expect(visit(site(...files), pathname, 'HEAD')).toBe(answer)
  })
})

describe('methods', () => {
  const any = site('index.html', 'd/index.html')

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'get', ''])(
    '%j is not allowed on a file',
    (method) => {
      const decision: Decision = { kind: 'method-not-allowed', allow: 'GET, HEAD, OPTIONS' }
      expect(resolve(any, { method, pathname: '/' })).toEqual(decision)
      expect(resolve(any, { method, pathname: '/d' })).toEqual(decision)
      expect(visit(any, '/missing', method)).toBe('not-found')
    },
  )

  test('OPTIONS is answered for every path, but not for what is no path', () => {
    expect(visit(any, '/', 'OPTIONS')).toBe('options')
    expect(visit(any, '/missing', 'OPTIONS')).toBe('options')
    expect(visit(any, '/%00', 'OPTIONS')).toBe('bad-request')
  })
})

test('a redirect keeps the query, in visible ASCII', () => {
  const any = site('d/index.html')
  expect(visit(any, '/d', 'GET', '?a=1&b=%20')).toBe('308 /d/?a=1&b=%20')
  expect(visit(any, '/d', 'GET', '?é\r\nX: y\ud800')).toBe('308 /d/?%C3%A9%0D%0AX:%20y%EF%BF%BD')
})

test('whatever is asked, a redirect leads to a file of the same site', () => {
  const any = site(
    'index.html',
    'a/index.html',
    'a/b/index.html',
    'é/index.html',
    '日 本/x/index.html',
  )
  const word = fc.constantFrom('/', '//', 'a', 'b', '%C3%A9', 'e%CC%81', '日%20本', 'x', '%', '.')
  fc.assert(
    fc.property(fc.array(word), fc.string({ unit: 'binary' }), (words, query) => {
      const request = { method: 'GET', pathname: `/${words.join('')}`, search: `?${query}` }
      const decision = resolve(any, request)
      if (decision.kind !== 'redirect') return
      expect(decision.location).toMatch(/^\/(?!\/)[\x21-\x7e]*$/)
      const target = new URL(decision.location, 'http://this.test')
      expect(target.host).toBe('this.test')
      expect(resolve(any, { method: 'GET', pathname: target.pathname }).kind).toBe('file')
    }),
  )
})
