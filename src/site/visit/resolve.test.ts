import { describe, expect, test } from 'bun:test'
import { directoryDepthMax, locationCharsMax } from '#site/limits.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import type { VisitorRequest } from '#site/visitor-request.ts'
import { anyFile, ask, type Facts, site, visit } from '#tests/support/visitors/site-visits.ts'
import { type Decision, resolve } from './resolve.ts'
import type { ServableSite } from './servable-site.ts'

type Row = [files: string[], pathname: string, answer: string]

const hostile: Row[] = [
  [['index.html'], '/..%2f..%2fetc/passwd', 'bad-request'],
  [['index.html'], '/%00', 'bad-request'],
  [['index.html'], '/a%zz', 'bad-request'],
  [['index.html'], '/a%5Cb', 'bad-request'],
  [['a'], `/${'a'.repeat(4096)}`, 'uri-too-long'],
  [['a'], `/${'a'.repeat(4095)}`, '404'],
  [['evil.com/x/index.html'], '//evil.com/x', '308 /evil.com/x/'],
  [['evil.com/index.html'], '///evil.com', '308 /evil.com/'],
  [['%2e%2e%2fx'], '/%252e%252e%252fx', '200 %2e%2e%2fx'],
  [['%2e%2e%2fx'], '/%2e%2e%2fx', 'bad-request'],
  [['__proto__', 'constructor'], '/__proto__', '200 __proto__'],
  [['index.html'], '/constructor', '404'],
  [['Index.html', 'index.html'], '/Index.html', '200 Index.html'],
  [['index.html'], '/INDEX.HTML', '404'],
  [['a/b'], '//a///b', '200 a/b'],
]

const reserved: Row[] = [
  [['_redirects'], '/_redirects', '404'],
  [['_headers'], '/_headers', '404'],
  [['_headers'], '//_headers', '404'],
  [['_headers'], '/%5fheaders', '404'],
  [['.sitehostignore'], '/.sitehostignore', '404'],
  [['_headers', '404.html'], '/_headers', '404 404.html'],
  [['docs/_headers'], '/docs/_headers', '200 docs/_headers'],
  [['_headers.html'], '/_headers.html', '200 _headers.html'],
  [['.well-known/atproto-did'], '/.well-known/atproto-did', '200 .well-known/atproto-did'],
]

const composed: Row[] = [
  [['caf\u00e9.html'], '/caf%C3%A9.html', '200 caf\u00e9.html'],
  [['caf\u00e9.html'], '/cafe%CC%81.html', '200 caf\u00e9.html'],
  [['cafe\u0301.html'], '/caf%C3%A9.html', '200 cafe\u0301.html'],
  [['cafe\u0301.html', 'caf\u00e9.html'], '/caf%C3%A9.html', '200 caf\u00e9.html'],
  [['cafe\u0301.html', 'caf\u00e9.html'], '/cafe%CC%81.html', '200 cafe\u0301.html'],
]

const deepest = Array(directoryDepthMax).fill('x').join('/')

const nearest404: Row[] = [
  [['404.html'], '/', '404 404.html'],
  [['404.html'], '/a/b/c', '404 404.html'],
  [['404.html', 'a/404.html'], '/a', '404 404.html'],
  [['404.html', 'a/404.html'], '/a/', '404 a/404.html'],
  [['404.html', 'a/404.html'], '/a/b', '404 a/404.html'],
  [['404.html', 'a/404.html'], '/a/b/c/', '404 a/404.html'],
  [['404.html', 'a/404.html'], '/b/a', '404 404.html'],
  [['caf\u00e9/404.html'], '/cafe%CC%81/x', '404 caf\u00e9/404.html'],
  [['a/404.html'], '/b', '404'],
  [['404.htm'], '/b', '404'],
  [['404.html'], '/404.html', '200 404.html'],
  [[`${deepest}/404.html`], `/${deepest}/y/z`, `404 ${deepest}/404.html`],
  [[`${deepest}/x/404.html`], `/${deepest}/x/y`, '404'],
  [['404.html'], `/${deepest}/y/z`, '404 404.html'],
]

describe.each([
  ['hostile paths', hostile],
  ['reserved files', reserved],
  ['composed names', composed],
  ['the nearest 404.html', nearest404],
])('%s', (_, rows) => {
  test.each(rows)('a site with %j answers %s with %s', (files, pathname, answer) => {
    expect(visit(site(files), pathname)).toBe(answer)
    expect(visit(site(files), ask(pathname, {}, { method: 'HEAD' }))).toBe(answer)
  })
})

const name = 'place.wisp.fs/blog'
const listed: Facts = { name, settings: { directoryListing: true } }
const ofWisp: [files: string[], facts: Facts, pathname: string, answer: string][] = [
  [['index.htm'], { name }, '/', '200 index.htm'],
  [['a/index.htm', 'a/index.html'], { name }, '/a/', '200 a/index.html'],
  [['index.htm'], { name, settings: { indexFiles: ['index.html'] } }, '/', '404'],
  [['404.html', 'not_found.html'], { name }, '/b', '404 404.html'],
  [['not_found.html'], { name }, '/a/b', '404 not_found.html'],
  [['a/404.html'], { name }, '/a/b', '404'],
  [['x', '404.html'], listed, '/b', '404 404.html'],
  [['x', 'd/y'], listed, '/d/', 'listing d/'],
  [['x', 'd/y'], listed, '/b', '404 listing /'],
  [['index.htm', 'not_found.html'], {}, '/', '404'],
  [['x'], { settings: { directoryListing: true } }, '/b', '404'],
]

test.each(ofWisp)(
  'the conventions of its network: %j %j answers %s with %s',
  (files, facts, ...at) => {
    expect(visit(site(files, facts), at[0])).toBe(at[1])
  },
)

describe('the order of decisions', () => {
  const navigate = { 'sec-fetch-mode': 'navigate' }
  const files = ['index.html', 'a.html', 'd/x', 'app.html', 'oops.html', '404.html', '_headers']
  const rules = (...lines: string[]) => ({ rules: lines.join('\n') })
  type Step = [what: string, facts: Facts, pathname: string, answer: string]
  const listing: Facts = { settings: { directoryListing: true } }
  const spa: Facts = { settings: { spaMode: 'app.html' } }
  const custom: Facts = { settings: { custom404: 'oops.html' } }
  const steps: Step[] = [
    ['reserved before forced', rules('/_headers /a.html 200!'), '/_headers', '404 404.html'],
    ['reserved before others', rules('/* /a.html 200'), '/_headers', '404 404.html'],
    ['reserved before spaMode', spa, '/_headers', '404 404.html'],
    ['forced before a file', rules('/a.html /b 302!'), '/a.html', '302 /b'],
    ['forced before an index', rules('/ /b 302!'), '/', '302 /b'],
    ['forced before others', rules('/x /1 302', '/x /2 302!'), '/x', '302 /2'],
    ['a file before others', rules('/a.html /b 302'), '/a.html', '200 a.html'],
    ['an index before others', rules('/* /b 302'), '/', '200 index.html'],
    ['others in file order', rules('/x/* /1 302', '/x/y /2 302'), '/x/y', '302 /1'],
    ['others before a listing', { ...listing, ...rules('/d /b 302') }, '/d/', '302 /b'],
    ['others before spaMode', { ...spa, ...rules('/x /b 302') }, '/x', '302 /b'],
    ['others before custom404', { ...custom, ...rules('/x /b 302') }, '/x', '302 /b'],
    ['a file before spaMode', spa, '/a.html', '200 a.html'],
    ['spaMode before 404.html', spa, '/x', '200 app.html'],
    ['custom404 before 404.html', custom, '/x', '404 oops.html'],
    ['a listing before 404.html', listing, '/d/', 'listing d/'],
    ['404.html', {}, '/d/', '404 404.html'],
  ]
  test.each(steps)('%s', (_, facts, pathname, answer) => {
    expect(visit(site(files, facts), ask(pathname, navigate))).toBe(answer)
  })

  const withCleanUrls = (more: Facts): Facts => ({ ...more, settings: { cleanUrls: true } })
  test('a clean address before others, but not before forced', () => {
    expect(visit(site(files, withCleanUrls(rules('/a /b 302'))), '/a')).toBe('200 a.html')
    expect(visit(site(files, withCleanUrls(rules('/a /b 302'))), '/a/')).toBe('308 /a')
    expect(visit(site(files, withCleanUrls(rules('/a /b 302!'))), '/a')).toBe('302 /b')
  })
})

describe('rules', () => {
  const files = ['a.html', 'd/index.html', 'p.html', 'deep/404.html', '_headers']
  test.each([
    ['/x /y', '/x', '301 /y'],
    ['/x /y 308', '/x', '308 /y'],
    ['/x https://example.org/y 307', '/x', '307 https://example.org/y'],
    ['/x /a.html 200', '/x', '200 a.html'],
    ['/x /d/ 200', '/x', '200 d/index.html'],
    ['/x /d 200', '/x', '200 d/index.html'],
    ['/x /%61.html 200', '/x', '200 a.html'],
    ['/x /y 200\n/y /a.html 200', '/x', '404'],
    ['/x /missing 200', '/x', '404'],
    ['/x /_headers 200', '/x', '404'],
    ['/x /%5Fheaders 200', '/x', '404'],
    ['/a.html /_headers 200!', '/a.html', '404'],
    ['/x /a%2fb 200', '/x', '404'],
    ['/x /a.html 404', '/x', '404 a.html'],
    ['/x /a.html 410', '/x', '410 a.html'],
    ['/x /a.html 451', '/x', '451 a.html'],
    ['/x /missing 404', '/x', '404'],
    ['/x /missing 410', '/x', '410'],
    ['/deep/x 404', '/deep/x', '404 deep/404.html'],
    ['/deep/x 410', '/deep/x', '410'],
    ['/x 451', '/x', '451'],
    ['/a.html 410!', '/a.html', '410'],
    ['/* /a.html 200', '/.well-known/acme-challenge/x', '404'],
    ['/* /a.html 200!', '/.well-known/acme-challenge/x', '404'],
    ['/* /a.html 200', '/.well-known/security.txt', '200 a.html'],
  ])('%j: %s is %s', (rules, pathname, answer) => {
    expect(visit(site(files, { rules }), pathname)).toBe(answer)
  })

  test('with clean addresses a rewrite shows its page in place', () => {
    const clean = { settings: { cleanUrls: true } }
    for (const target of ['/p', '/p.html', '/p/', '/p/index']) {
      expect(visit(site(files, { ...clean, rules: `/x ${target} 200` }), '/x')).toBe('200 p.html')
    }
  })

  test.each([
    ['/a /a.html 302!', '/a', '302 /a.html'],
    ['/a /a.html 302!', '/a.html', '200 a.html'],
    ['/a /b 302!', '/a.html', '200 a.html'],
    ['/a /b 302! Cookie=k', '/a.html', '308 /a'],
    ['/a /b 302!', '/a/index.html', '404'],
    ['/d /b 302!', '/d.html', '404'],
    ['/d /b 302!', '/d/index.html', '200 d/index.html'],
    ['/d/ /b 302!', '/d', '302 /b'],
    ['/[y] /b 302!', '/[y].html', '200 [y].html'],
  ])('with clean addresses nobody is sent to where %j applies: %s is %s', (...row) => {
    const [rules, pathname, answer] = row
    const any = site([...files, '[y].html'], { settings: { cleanUrls: true }, rules })
    expect(visit(any, pathname)).toBe(answer)
  })

  test('decisions that depend on request headers name them', () => {
    const vary = (rules: string, pathname: string) => {
      const decision = resolve(site(['a.html', 'd/index.html'], { rules }), ask(pathname))
      return 'vary' in decision ? decision.vary : null
    }
    const forced = '/a.html /b 302! Language=de'
    const unforced = '/x /b 302 Cookie=k'
    expect(vary(forced, '/a.html')).toEqual(['accept-language'])
    expect(vary(forced, '/d')).toEqual(['accept-language'])
    expect(vary(forced, '/missing')).toEqual(['accept-language'])
    expect(vary(unforced, '/a.html')).toEqual([])
    expect(vary(unforced, '/d')).toEqual([])
    expect(vary(unforced, '/x')).toEqual(['cookie'])
    expect(vary('/x /b 302', '/x')).toEqual([])
  })
})

describe('methods', () => {
  const any = site(['index.html', 'd/index.html', '404.html', '_headers'], { rules: '/x /y' })

  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'get', ''])(
    '%j is not allowed on a file',
    (method) => {
      const post = (pathname: string) => resolve(any, ask(pathname, {}, { method }))
      const refused: Decision = { kind: 'method-not-allowed', allow: 'GET, HEAD, OPTIONS' }
      const missing: Decision = { kind: 'missing', status: 404, vary: [] }
      expect(post('/')).toEqual(refused)
      expect(post('/d')).toEqual(refused)
      expect(post('/missing')).toEqual(missing)
      expect(post('/x')).toEqual(missing)
      expect(post('/_headers')).toEqual(missing)
    },
  )

  test('POST is not allowed where GET has a file', () => {
    expect(visit(any, '/')).toBe('200 index.html')
    expect(visit(any, ask('/', {}, { method: 'POST' }))).toBe('method-not-allowed')
  })

  test('OPTIONS is answered for every valid path, and for no other', () => {
    const options = (pathname: string) => visit(any, ask(pathname, {}, { method: 'OPTIONS' }))
    expect([options('/'), options('/missing')]).toEqual(['options', 'options'])
    expect(options('/%00')).toBe('bad-request')
  })
})

describe('the query', () => {
  const d = site(['d/index.html'])
  const longest = `?${'a'.repeat(locationCharsMax - '/d/?'.length)}`
  test.each([
    ['?a=1&b=%20', '308 /d/?a=1&b=%20'],
    ['?é\r\nX: y\ud800', '308 /d/?%C3%A9%0D%0AX:%20y%EF%BF%BD'],
    ['?//evil.com', '308 /d/?//evil.com'],
    // but for what no header can hold
    [longest, `308 /d/${longest}`],
    [`${longest}a`, 'uri-too-long'],
  ])('%j is kept, in visible ASCII', (search, answer) => {
    expect(visit(d, ask('/d', {}, { search }))).toBe(answer)
  })
})

describe('clean addresses', () => {
  const names = ['[y].html', 'a b.html', "it's.html", 'd/[z]/index.html', 'caf\u00e9.html']
  test.each([
    ['/[y]', '308 /%5By%5D'],
    ['/%5by%5d', '308 /%5By%5D'],
    ['/%5By%5D', '200 [y].html'],
    ['/[y].html', '308 /%5By%5D'],
    ['/%61%20b', '308 /a%20b'],
    ['//a%20b', '308 /a%20b'],
    ['/it%27s', "308 /it's"],
    ["/it's", "200 it's.html"],
    ['/d//[z]/', '308 /d/%5Bz%5D/'],
    ['/d/[z]/index.html', '308 /d/%5Bz%5D/'],
    ['/cafe%CC%81', '200 caf\u00e9.html'],
  ])('another encoding of a name leads to ours, in one step: %s is %s', (pathname, answer) => {
    expect(visit(site(names, { settings: { cleanUrls: true } }), pathname)).toBe(answer)
  })

  test('without them every encoding shows the file', () => {
    for (const pathname of ['/[y].html', '/%5By%5D.html', '/%5by].html', '//[y].html']) {
      expect(visit(site(names), pathname)).toBe('200 [y].html')
    }
  })

  test('trailingSlash decides their addresses, only with cleanUrls', () => {
    const facts = (settings: Partial<SiteSettings>) => site(['a.html'], { settings })
    expect(visit(facts({ cleanUrls: true, trailingSlash: 'always' }), '/a')).toBe('308 /a/')
    expect(visit(facts({ cleanUrls: true, trailingSlash: 'never' }), '/a/')).toBe('308 /a')
    expect(visit(facts({ trailingSlash: 'always' }), '/a/')).toBe('404')
  })
})

describe('directory listings', () => {
  const files = ['d/a.txt', 'd/e/b', 'i/index.html', '_headers', 'caf\u00e9/x']
  const listed = site(files, { settings: { directoryListing: true } })
  test.each([
    ['/', 'listing /'],
    ['/d/', 'listing d/'],
    ['/d', '308 /d/'],
    ['/d/e/', 'listing d/e/'],
    ['/cafe%CC%81/', 'listing caf\u00e9/'],
    ['/d/a.txt/', '404'],
    ['/i/', '200 i/index.html'],
    ['/missing/', '404'],
  ])('%s is %s', (pathname, answer) => expect(visit(listed, pathname)).toBe(answer))

  test('carry what is in the directory', () => {
    expect(resolve(listed, ask('/d/'))).toMatchObject({
      path: 'd',
      entries: [
        { kind: 'directory', name: 'e' },
        { kind: 'file', name: 'a.txt', bytes: 2 },
      ],
    })
  })

  test('are there for a site without files, and only where they are switched on', () => {
    expect(visit(site([], { settings: { directoryListing: true } }), '/')).toBe('listing /')
    expect(visit(site(files), '/d/')).toBe('404')
    expect(visit(site(files), '/d')).toBe('404')
  })
})

describe('spaMode', () => {
  const spa = site(['app.html', 'a/404.html'], { settings: { spaMode: 'app.html' } })
  const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  test.each<[string, Record<string, string>, string]>([
    ['/x', { 'sec-fetch-mode': 'navigate' }, '200 app.html'],
    ['/x.png', { 'sec-fetch-mode': 'navigate' }, '200 app.html'],
    ['/x', html, '200 app.html'],
    ['/x/', html, '200 app.html'],
    ['/v1.2/x', html, '200 app.html'],
    ['/x.png', html, '404'],
    ['/a/x.png', html, '404 a/404.html'],
    ['/x', { accept: '*/*' }, '404'],
    ['/x', { accept: 'application/json' }, '404'],
    ['/x', { accept: 'application/json, text/html;q=0' }, '404'],
    ['/x', { 'sec-fetch-mode': 'cors' }, '404'],
    ['/x', {}, '404'],
    ['/_headers', html, '404'],
  ])('%s with %j is %s', (pathname, fields, answer) => {
    expect(visit(spa, ask(pathname, fields))).toBe(answer)
  })

  test('its answers depend on what makes a navigation', () => {
    const vary = ['accept', 'sec-fetch-mode']
    expect(resolve(spa, ask('/x', html))).toMatchObject({ status: 200, vary })
    expect(resolve(spa, ask('/x'))).toMatchObject({ status: 404, vary })
    expect(resolve(spa, ask('/app.html'))).toMatchObject({ status: 200, vary: [] })
  })
})

test.each<Partial<SiteSettings>>([
  { spaMode: '_redirects' },
  { spaMode: 'missing.html' },
  { custom404: '_headers' },
  { custom404: 'missing.html' },
  { indexFiles: ['_redirects', '_headers', '.sitehostignore'] },
])('%j shows nothing', (settings) => {
  const reservedOnly = site(['_redirects', '_headers', '.sitehostignore'], { settings })
  expect(visit(reservedOnly, ask('/', { 'sec-fetch-mode': 'navigate' }))).toBe('404')
  expect(visit(reservedOnly, ask('/x', { 'sec-fetch-mode': 'navigate' }))).toBe('404')
})

describe('assets of earlier versions', () => {
  const earlier = new Map([
    ['assets/app-1a2b3c.js', { file: { ...anyFile, hash: 'old' }, until: 1000 }],
    ['assets/kept.js', { file: { ...anyFile, hash: 'old' }, until: 1000 }],
  ])
  const facts = { earlier, rules: '/* /index.html 200' }
  const updated = site(['index.html', 'assets/kept.js'], facts)
  test.each([
    ['/assets/app-1a2b3c.js', 999, '200 old'],
    ['/assets/app-1a2b3c.js', 1000, '200 index.html'],
    ['/assets/app-1a2b3c.js', undefined, '200 index.html'],
    ['/assets/app-1a2b3c.js/', 999, '200 index.html'],
    ['/assets/kept.js', 999, '200 assets/kept.js'],
  ])('%s at %p is %s', (pathname, now, answer) => {
    expect(visit(updated, pathname, now)).toBe(answer)
  })

  test('a forced rule comes first, and none is served a moment after it ended', () => {
    const forced = site([], { earlier, rules: '/assets/* /gone 302!' })
    expect(visit(forced, '/assets/app-1a2b3c.js', 999)).toBe('302 /gone')
    const plain = site([], { earlier })
    expect(visit(plain, '/assets/app-1a2b3c.js', 999)).toBe('200 old')
    expect(visit(plain, '/assets/app-1a2b3c.js', 1000)).toBe('404')
  })
})

describe('what everyone gets', () => {
  const isForEveryone = (from: ServableSite, request: VisitorRequest | string) => {
    const decision = resolve(from, typeof request === 'string' ? ask(request) : request)
    return decision.kind === 'file' && decision.isForEveryone
  }

  test('is at the own address of a file', () => {
    const any = site(['index.html', 'd/index.html', '404.html'])
    for (const pathname of ['/', '/d/', '/d/index.html']) {
      expect(isForEveryone(any, pathname)).toBe(true)
      expect(isForEveryone(any, ask(pathname, {}, { method: 'HEAD' }))).toBe(true)
    }
    expect(isForEveryone(any, '/nothing')).toBe(false)
  })

  test('is at one address, however it is spelt', () => {
    const any = site(['caf\u00e9e\u0301.html', '@a'])
    const spelt = ['%C3%A9', 'e%CC%81', '%c3%a9', 'é'].flatMap((e) =>
      ['%C3%A9', 'e%CC%81'].map((f) => `/caf${e}${f}.html`),
    )
    const all = [...spelt, '/@a', '/%40a', '//%40a', '/%40%61']
    const own = ['/caf%C3%A9e%CC%81.html', '/%40a']
    expect(all.filter((pathname) => isForEveryone(any, pathname))).toEqual(own)
  })

  test('is not for everyone where a rule may decide otherwise', () => {
    const any = site(['a'], { rules: '/a /b 302! Cookie=k' })
    expect(visit(any, '/a')).toBe('200 a')
    expect(visit(any, ask('/a', { cookie: 'k=1' }))).toBe('302 /b')
    expect(isForEveryone(any, '/a')).toBe(false)
  })
})
