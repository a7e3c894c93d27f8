import { describe, expect, test } from 'bun:test'
import type { HeaderList } from '#http/header-fields.ts'
import {
  answerHeaderCharsMax,
  headerFieldsMax,
  headerSearchesMax,
  headerValueCharsMax,
} from '#site/limits.ts'
import { applyHeaderRules } from './apply-header-rules.ts'
import { type HeaderSetting, parseHeaderRules } from './header-rules.ts'

interface Facts {
  readonly settings?: readonly HeaderSetting[]
  readonly host?: string
  readonly isUnderBaseDomain?: boolean
  readonly own?: Record<string, string>
}

/** What is sent for the path, one line a header. */
function sent(file: string, pathname: string, facts: Facts = {}): string[] {
  return lines(answer(file, pathname, facts))
}

function answer(file: string, pathname: string, facts: Facts): HeaderList {
  const { settings = [], host = 'blog.test', isUnderBaseDomain = false, own = {} } = facts
  const { rules } = parseHeaderRules(file, settings)
  return applyHeaderRules(rules, { host, pathname, isUnderBaseDomain }, own)
}

const lines = (list: HeaderList): string[] => list.map(([name, value]) => `${name}: ${value}`)

describe('a block is for', () => {
  test.each<[string, string[], string[]]>([
    ['/', ['/'], ['/a']],
    ['/a', ['/a', '/a/', '//a'], ['/', '/A', '/a/b', '/ab']],
    ['/a/', ['/a', '/a/'], ['/a/b']],
    ['/a%20b', ['/a%20b'], ['/a']],
    ['/a # comment', ['/a'], ['/a/#']],
    ['/*', ['/', '/a', '/a/b/'], []],
    ['/a/*', ['/a', '/a/', '/a/b/c'], ['/ab']],
    ['/*/c', ['/c', '/a/b/c'], ['/a']],
    ['/a%3Fb%23', ['/a%3Fb%23'], ['/a']],
    ['/:x', ['/a', '/b/'], ['/', '/a/b']],
    ['/:x.html', ['/:x.html'], ['/a.html']],
    // in a segment, and more than once: any characters, slashes too
    ['/*.js', ['/a.js', '/b/c/a.js', '/.js', '/a.js/'], ['/', '/a.jsx', '/ajs', '/a.js/b']],
    [
      '/assets/*.woff2',
      ['/assets/a.woff2', '/assets/b/a.woff2'],
      ['/a.woff2', '/assets/', '/assetsa.woff2'],
    ],
    [
      '/*/_next/static/chunks/*',
      ['/_next/static/chunks/a', '/de/fr/_next/static/chunks', '/x/_next/static/chunks/a/b'],
      ['/_next/static', '/a_next/static/chunks/b', '/_next/static/chunksa'],
    ],
    ['/a*', ['/a', '/ab', '/ab/c', '/a/'], ['/', '/b', '/b/a']],
    ['/a*b/c', ['/ab/c', '/axb/c', '/a/b/c'], ['/ab', '/a/c', '/ab/d']],
    ['/*a*b*', ['/ab', '/xa/yb/z', '/aab'], ['/ba', '/a']],
    ['/aa*aa', ['/aaaa', '/aaxaa'], ['/aaa', '/aa']],
    ['/**', ['/', '/a/b'], []],
    ['/*/*', ['/', '/a', '/a/b'], []],
    ['/a/*/b*/c', ['/a/b/c', '/a/x/y/bz/c', '/a/b/x/c'], ['/a/c', '/a/xb/c', '/ab/c']],
    ['/x*/*', ['/x', '/xy/z'], ['/', '/ax']],
    ['/:l/*.css', ['/de/a.css', '/de/b/a.css'], ['/a.css', '/de/a.js']],
    ['/*.d/:n', ['/a.d/b', '/x/a.d/b'], ['/a.d', '/a.d/b/c']],
    ['/%2A*', ['/*', '/*a'], ['/a']],
    ['/caf%C3%A9*', ['/café', '/caf%C3%A9s'], ['/cafe']],
  ])('%s: %j, not %j', (pattern, fits, others) => {
    const file = `${pattern}\n  X-A: b`
    expect(fits.filter((path) => sent(file, path).length === 1)).toEqual(fits)
    expect(others.filter((path) => sent(file, path).length > 0)).toEqual([])
  })

  test.each<[string, string, boolean]>([
    ['https://blog.test/*', 'blog.test', true],
    ['https://blog.test/a', 'blog.test', true],
    ['https://blog.test/b', 'blog.test', false],
    ['https://BLOG.test./*', 'blog.test', true],
    ['https://blog.test/*', 'www.blog.test', false],
    ['https://blog.test', 'blog.test', false],
    ['http://blog.test/*', 'blog.test', false],
    ['https://blog.test:443/*', 'blog.test', false],
    ['https://*.test/*', 'blog.test', false],
    ['https:///a', 'blog.test', false],
  ])('%s at https://%s/a: %p', (pattern, host, applies) => {
    expect(sent(`${pattern}\nX-A: b`, '/a', { host })).toEqual(applies ? ['x-a: b'] : [])
  })

  test('an address without a path is that of the first page', () => {
    expect(sent('https://blog.test\nX-A: b', '/')).toEqual(['x-a: b'])
  })

  test('no block applies to certificate challenges', () => {
    const proof = '/.well-known/acme-challenge/token'
    expect(sent('/*\nX-A: b', proof, { settings: [{ name: 'X-B', value: 'c' }] })).toEqual([])
    expect(sent('/*\nX-A: b', '/.well-known/security.txt')).toEqual(['x-a: b'])
  })

  test('a request without a valid path gets only our headers', () => {
    expect(sent('/*\nX-A: b', '/%zz', { own: { vary: 'a' } })).toEqual(['vary: a'])
  })
})

describe('all blocks that fit apply in order', () => {
  test.each<[string, string[]]>([
    // joined
    ['/*\nX-A: 1\n/a\nX-A: 2', ['x-a: 1, 2']],
    ['/a\nX-A: 2\n/*\nX-A: 1', ['x-a: 2, 1']],
    ['/a\nX-A: 1\nx-a: 2', ['x-a: 1, 2']],
    ['/b\nX-A: 1\n/a\nX-A: 2', ['x-a: 2']],
    [
      '/*\nCache-Control: no-cache\n/a\nCache-Control: private',
      ['cache-control: no-cache, private'],
    ],
    [
      '/*\nContent-Security-Policy: a\n/a\nContent-Security-Policy: b',
      ['content-security-policy: a, b'],
    ],
    // single-valued: the later
    ['/*\nX-Frame-Options: DENY\n/a\nX-Frame-Options: SAMEORIGIN', ['x-frame-options: SAMEORIGIN']],
    ['/*\nContent-Type: a/b\n/a\nContent-Type: c/d', ['content-type: c/d']],
    [
      '/*\nAccess-Control-Allow-Origin: *\n/a\nAccess-Control-Allow-Origin: https://a.test',
      ['access-control-allow-origin: https://a.test'],
    ],
    // a line each
    ['/*\nSet-Cookie: a=1\n/a\nSet-Cookie: b=2', ['set-cookie: a=1', 'set-cookie: b=2']],
    // removed
    ['/*\nX-A: 1\n/a\n! X-A', []],
    ['/*\nX-A: 1\n/a\n!x-a', []],
    ['/*\nX-A: 1\n/a\n! X-A\nX-A: 2', ['x-a: 2']],
    ['/a\n! X-A\n/*\nX-A: 1', ['x-a: 1']],
    ['/*\nX-A: 1\n/b\n! X-A', ['x-a: 1']],
    ['/*\nSet-Cookie: a=1\n/a\n! Set-Cookie', []],
    // as it is written
    ['/a\n  X-A:b:c  d # e  ', ['x-a: b:c  d # e']],
    ['\uFEFF/a\r\n\tX-A: b\r\n', ['x-a: b']],
    ['# note\n\n/a\n\n  # note\n  X-A: b', ['x-a: b']],
    ['/a\n!X-A: b', ['!x-a: b']],
  ])('%j: %j', (file, expected) => {
    expect(sent(file, '/a')).toEqual(expected)
  })
})

describe('values may contain captures of the path', () => {
  test.each<[string, string, string[]]>([
    ['/:id\nX-A: <:id>', '/a%20b', ['x-a: <a%20b>']],
    ['/*\nX-A: /new/:splat', '/b/c/', ['x-a: /new/b/c/']],
    ['/:a/*\nX-A: :splat,:a', '/1/2/3', ['x-a: 2/3,1']],
    // by whole names
    ['/:id/:idx\nX-A: :idx-:id', '/1/2', ['x-a: 2-1']],
    ['/:id\nX-A: :idx :i', '/1', ['x-a: :idx :i']],
    // what is no name of this path is text
    [
      '/:id\nX-A: data: 12:30 https://a.test:80/:id',
      '/1',
      ['x-a: data: 12:30 https://a.test:80/1'],
    ],
    ['/a\nX-A: :splat', '/a', ['x-a: :splat']],
    ['/*\nX-A: [:splat]', '/', ['x-a: []']],
    // whatever a visitor asks for
    ['/*\nX-A: :splat', '/%0d%0aset-cookie:a=b', ['x-a: %0D%0Aset-cookie%3Aa%3Db']],
    ['/*\nX-A: :splat', '/é,"', ['x-a: %C3%A9%2C%22']],
    ['/*\nX-A: :splat', '/:splat', ['x-a: %3Asplat']],
    // of several the last, which stands for as much as it can
    ['/*.js\nX-A: :splat', '/b/a.js', ['x-a: b/a']],
    ['/*.js\nX-A: :splat', '/%20.js/', ['x-a: %20']],
    ['/*/x/*\nX-A: :splat', '/a/x/b/x/c', ['x-a: b/x/c']],
    ['/*/x/*\nX-A: [:splat]', '/x/', ['x-a: []']],
    ['/*/x/*\nX-A: :splat', '/a/x/b/', ['x-a: b/']],
    ['/*/x/*/c\nX-A: :splat', '/x/b/c/', ['x-a: b']],
    ['/*b/*\nX-A: :splat', '/ab/\u{1F600}é/', ['x-a: %F0%9F%98%80%C3%A9/']],
    ['/:l/*-*.js\nX-A: :l,:splat', '/de/a-b-c.js', ['x-a: de,b-c']],
    // wherever it stands
    ['/:a/b/*/:c/:d\nX-A: :a,:splat,:c,:d', '/1/b/2/3/4/5', ['x-a: 1,2/3,4,5']],
    ['/:a/b/*/:c/:d\nX-A: :a,:splat,:c,:d', '/1/b/4/%C3%A9/', ['x-a: 1,,4,%C3%A9']],
    ['/:a/*\nX-A: :a,:splat', '/%20%25//', ['x-a: %20%25,']],
    ['/:a\nX-A: :a\n/*\nX-B: :splat', '/%2b/', ['x-a: %2B', 'x-b: %2B/']],
  ])('%j at %s: %j', (file, pathname, expected) => {
    expect(sent(file, pathname)).toEqual(expected)
  })

  test('one that gets too long is not sent, the others are', () => {
    const file = '/*\nX-A: :splat:splat\nX-B: b'
    const longest = 'a'.repeat(headerValueCharsMax / 2)
    expect(sent(file, `/${longest}`)).toEqual([`x-a: ${longest.repeat(2)}`, 'x-b: b'])
    expect(sent(file, `/${longest}a`)).toEqual(['x-b: b'])
  })
})

describe('our own headers', () => {
  test.each<[string, Record<string, string>, string[]]>([
    ['', { 'cache-control': 'no-store' }, ['cache-control: no-store']],
    ['/a\nX-A: b', { vary: 'a' }, ['vary: a', 'x-a: b']],
    // replaced, never joined
    [
      '/*\nCache-Control: no-cache\n/a\nCache-Control: private',
      { 'cache-control': 'public' },
      ['cache-control: no-cache, private'],
    ],
    ['/a\nContent-Type: a/b', { 'content-type': 'c/d' }, ['content-type: a/b']],
    ['/a\n! Cache-Control', { 'cache-control': 'public' }, []],
    ['/a\n! Access-Control-Allow-Origin', { 'access-control-allow-origin': '*' }, []],
    // true whatever is added
    ['/a\nVary: Cookie', { vary: 'accept-encoding' }, ['vary: accept-encoding, Cookie']],
    ['/a\n! Vary', { vary: 'accept-encoding' }, ['vary: accept-encoding']],
    [
      '/a\nLink: </b>; rel=preload',
      { link: '<a>; rel="canonical"' },
      ['link: <a>; rel="canonical", </b>; rel=preload'],
    ],
    // not to be missed
    ['/a\n! Content-Type', { 'content-type': 'a/b' }, ['content-type: a/b']],
    ['/*\nContent-Type: c/d\n/a\n! Content-Type', { 'content-type': 'a/b' }, ['content-type: a/b']],
    [
      '/a\n! Content-Disposition',
      { 'content-disposition': 'inline' },
      ['content-disposition: inline'],
    ],
    [
      '/a\nContent-Disposition: attachment',
      { 'content-disposition': 'inline' },
      ['content-disposition: attachment'],
    ],
    [
      '/a\n! X-Content-Type-Options',
      { 'x-content-type-options': 'nosniff' },
      ['x-content-type-options: nosniff'],
    ],
    [
      '/a\nX-Content-Type-Options: sniff',
      { 'x-content-type-options': 'nosniff' },
      ['x-content-type-options: nosniff'],
    ],
    // nor to be emptied by what a visitor asks for
    ['/*/a\nContent-Type: :splat', { 'content-type': 'a/b' }, ['content-type: a/b']],
    [
      '/*/a\nContent-Disposition: :splat',
      { 'content-disposition': 'inline' },
      ['content-disposition: inline'],
    ],
    ['/*/a\nContent-Type: :splat', {}, []],
    // nor to be made dangerous by it
    [
      '/:x\nContent-Type: text/html; charset=utf-8; charset=:x',
      { 'content-type': 'a/b' },
      ['content-type: a/b'],
    ],
    [
      '/:x\nContent-Type: text/html; charset=:x',
      { 'content-type': 'a/b' },
      ['content-type: text/html; charset=a'],
    ],
    ['/a\nETag: "b"\n! ETag', { etag: '"a"' }, ['etag: "a"']],
    ['/a\nX-Sitehost-Version: b', { 'x-sitehost-version': 'a' }, ['x-sitehost-version: a']],
  ])('%j with %j: %j', (file, own, expected) => {
    expect(sent(file, '/a', { own })).toEqual(expected)
  })
})

test('an address cannot ask for a charset that is not sent', () => {
  const own = { 'content-type': 'a/b' }
  const typeFor = (path: string) =>
    sent('/:x\nContent-Type: text/html; charset=utf-:x', path, { own })
  expect([typeFor('/8'), typeFor('/7')]).toEqual([
    ['content-type: text/html; charset=utf-8'],
    ['content-type: a/b'],
  ])
})

describe('under the domain of all sites', () => {
  const forOwnDomain = [
    'Set-Cookie',
    'Strict-Transport-Security',
    'Clear-Site-Data',
    'Service-Worker-Allowed',
    'Public-Key-Pins',
    'NEL',
    'Report-To',
  ]
  test.each(forOwnDomain)('%s is not sent, on a domain of its own it is', (name) => {
    const file = `/*\n${name}: a\nX-A: b`
    const expected = `${name.toLowerCase()}: a`
    expect(sent(file, '/', { isUnderBaseDomain: true })).toEqual(['x-a: b'])
    expect(sent(file, '/', { isUnderBaseDomain: false })).toEqual([expected, 'x-a: b'])
  })
})

describe('the headers of the settings', () => {
  const header = (path?: string): HeaderSetting => ({
    name: 'X-A',
    value: 'b',
    ...(path !== undefined && { path }),
  })

  test.each<[string | undefined, string[], string[]]>([
    [undefined, ['/', '/a', '/a/b/'], []],
    // a path as in a _headers
    ['/*', ['/', '/a', '/a/b/'], []],
    ['/a/*', ['/a', '/a/b/c'], ['/', '/ab']],
    ['a/*', ['/a', '/a/b/c'], ['/', '/ab']],
    ['/:x', ['/a'], ['/', '/a/b']],
    // the last segment of any address
    ['*', ['/', '/a', '/a/b/'], []],
    ['*.html', ['/a.html', '/b/a.html', '/.html', '/a.html/'], ['/', '/a.htm', '/a.html/b']],
    ['a*c', ['/ac', '/abc', '/b/abbc'], ['/a', '/c', '/abcd']],
    ['aa*aa', ['/aaaa'], ['/aaa', '/aa']],
    ['robots.txt', ['/robots.txt', '/b/robots.txt'], ['/robots.txt.gz', '/a']],
    ['é*', ['/é', '/%C3%A9a'], ['/e']],
    ['*.*', ['/a.html', '/b/a.html'], ['/a']],
    [':x', ['/a', '/a/b'], ['/']],
    // as in a _headers
    ['/*.html', ['/a.html', '/b/a.html'], ['/a']],
    ['/*/a/*', ['/a', '/b/a/c'], ['/b']],
    ['https://blog.test/a', ['/a'], ['/b']],
    ['https://www.test/a', [], ['/a']],
    ['/a b', ['/a%20b'], ['/a']],
  ])('for %p: %j, not %j', (path, fits, others) => {
    const settings = [header(path)]
    expect(fits.filter((asked) => sent('', asked, { settings }).length === 1)).toEqual(fits)
    expect(others.filter((asked) => sent('', asked, { settings }).length > 0)).toEqual([])
  })

  test('come before the headers of _headers', () => {
    const settings = [header(), { name: 'X-Frame-Options', value: 'DENY' }]
    const file = '/*\nX-A: c\nX-Frame-Options: SAMEORIGIN'
    expect(sent(file, '/', { settings })).toEqual(['x-a: b, c', 'x-frame-options: SAMEORIGIN'])
    expect(sent('/*\n! X-A', '/', { settings: [header()] })).toEqual([])
  })

  test('may be empty, and contain captures of the path', () => {
    const settings = [
      { name: 'X-A', value: '' },
      { name: 'X-B', value: ':splat', path: '/b/*' },
    ]
    expect(sent('', '/b/c', { settings })).toEqual(['x-a: ', 'x-b: c'])
    expect(sent('/*\nX-A: 1', '/', { settings })).toEqual(['x-a: 1'])
  })

  test.each<[HeaderSetting, string]>([
    [header('/%zz'), 'headers.0.path: is not a path'],
    [header('/a/../b'), 'headers.0.path: is not a path'],
    [header('%2F'), 'headers.0.path: is not a path'],
    [header('/a?b=1'), 'headers.0.path: is not only a path'],
    [header('*.js#top'), 'headers.0.path: is not only a path'],
    [header('http://blog.test/'), 'headers.0.path: expected https://'],
    [header('/:a/:a'), 'headers.0.path: has :a more than once'],
    [header('/*/:a/*'), 'headers.0.path: has :a between two *'],
    [header('/.well-known/acme-challenge/*'), 'headers.0.path: has no effect'],
    [header('/v:x'), 'headers.0.path: takes v:x literally'],
    [{ name: 'ETag', value: '"a"' }, 'headers.0.name: this header cannot be set'],
    [{ name: 'a b', value: 'c' }, 'headers.0.name: expected the name'],
    [{ name: 'X-A', value: 'a\r\nb' }, 'headers.0.value: expected visible ASCII'],
    [{ name: 'Set-Cookie', value: 'a' }, 'headers.0.name: Set-Cookie is only sent on a domain'],
  ])('%j: %s', (setting, problem) => {
    const { settingsProblems } = parseHeaderRules('', [setting])
    expect(settingsProblems).toEqual([expect.stringContaining(problem)])
  })

  const searches = (count: number) => `/${'*a'.repeat(count + 1)}`
  const most = searches(headerSearchesMax / 2)
  test.each<[string, string[], string, number, number]>([
    ['as many in the settings as there may be', [most, most], '', 0, 0],
    ['too many in the settings', [most, most, searches(1), '/*'], '', 1, 0],
    ['too many in one path', [searches(headerSearchesMax + 1)], '', 1, 0],
    ['as many in both as there may be', [most], `${most}\nX-A: b`, 0, 0],
    ['too many in both', [most, searches(1)], `${most}\nX-A: b`, 0, 1],
  ])('%s: searches for text between two *', (_, paths, file, inSettings, inFile) => {
    const read = parseHeaderRules(file, paths.map(header))
    expect([read.settingsProblems.length, read.problems.length]).toEqual([inSettings, inFile])
    const used = paths.length + Number(file !== '') - inSettings - inFile
    expect(read.rules.changeCount).toBe(used)
  })
})

describe('an owner adds to an answer, in order', () => {
  const fields = (count: number, value: string) =>
    Array.from({ length: count }, (_, i) => `X${10 + i}: ${value}`)
  const count = (lines: readonly string[]) => sent(`/*\n${lines.join('\n')}`, '/').length

  test('at most 16 KiB, with what separates names and values', () => {
    const most = fields(answerHeaderCharsMax / 1024, 'a'.repeat(1024 - 'X10: \r\n'.length))
    expect(count(most)).toBe(16)
    expect(count([...most, 'Y: b'])).toBe(16)
    expect(count(['Y: b', ...most])).toBe(16)
    expect(count([...most, '! X10', 'Y: b'])).toBe(15)
  })

  test('at most 64 lines', () => {
    const settings = [
      { name: 'A', value: 'b' },
      { name: 'C', value: 'd' },
    ]
    const most = fields(headerFieldsMax, 'a')
    expect(sent(`/*\n${most.join('\n')}`, '/', { settings })).toHaveLength(headerFieldsMax)
    expect(count(Array(headerFieldsMax + 1).fill('Set-Cookie: a'))).toBe(headerFieldsMax)
    expect(count(Array(headerFieldsMax + 1).fill('X-A: b'))).toBe(1)
    const replaced = Array(headerFieldsMax).fill('X-Frame-Options: DENY')
    expect(count([...replaced, 'X-A: b'])).toBe(2)
  })
})

test('without rules our own headers stay what they are', () => {
  const { rules } = parseHeaderRules('', [])
  expect(rules.isEmpty).toBe(true)
  expect(sent('', '/', { own: { vary: 'a' } })).toEqual(['vary: a'])
})
