import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRequestPath } from '#site/request-path.ts'
import { fuzzRunsOf } from '#tests/support/hostile/fuzz.ts'
import { type AddressForm, encodeAddress, findPage } from './addresses.ts'
import type { SnapshotFile } from './snapshot.ts'

const anyFile: SnapshotFile = {
  cid: 'c',
  hash: 'h',
  coding: 'gzip',
  storedBytes: 1,
  bytes: 2,
  contentType: 'text/html',
}

/** In one line: `a.html` shown here, `→/a` for a redirect, or `404`. */
function look(
  form: AddressForm,
  files: readonly string[],
  pathname: string,
  indexFiles: readonly string[] = ['index.html'],
): string {
  const path = parseRequestPath(pathname)
  if (!path.ok) return `${path.status}`
  const site = { files: filesOf(files), indexFiles, addressForm: form }
  const address = { path: path.segments.join('/'), isDirectory: path.trailingSlash }
  const page = findPage(site, address)
  if (page === null) return '404'
  return page.redirect === null ? page.path : `→${encodeAddress(page.redirect)}`
}

const filesOf = (paths: readonly string[]) => new Map(paths.map((path) => [path, anyFile]))

/** What a site with these files shows at an address in each form. */
type Row = [pathname: string, plain: string, auto: string, always: string, never: string]

const sites: [files: string[], rows: Row[]][] = [
  [
    ['index.html'],
    [
      ['/', 'index.html', 'index.html', 'index.html', 'index.html'],
      ['/index.html', 'index.html', '→/', '→/', '→/'],
      ['/index', '404', '→/', '→/', '→/'],
      ['/index/', '404', '→/', '→/', '→/'],
    ],
  ],
  [
    ['a.html'],
    [
      ['/a.html', 'a.html', '→/a', '→/a/', '→/a'],
      ['/a', '404', 'a.html', '→/a/', 'a.html'],
      ['/a/', '404', '→/a', 'a.html', '→/a'],
      ['/a/index.html', '404', '→/a', '→/a/', '→/a'],
      ['/a/index', '404', '→/a', '→/a/', '→/a'],
      ['/a/index/', '404', '404', '404', '404'],
      ['/a.html/', '404', '404', '404', '404'],
      ['/', '404', '404', '404', '404'],
    ],
  ],
  [
    ['d/index.html'],
    [
      ['/d/', 'd/index.html', 'd/index.html', 'd/index.html', '→/d'],
      ['/d', '→/d/', '→/d/', '→/d/', 'd/index.html'],
      ['/d/index.html', 'd/index.html', '→/d/', '→/d/', '→/d'],
      ['/d.html', '404', '→/d/', '→/d/', '→/d'],
      ['/d/index', '404', '→/d/', '→/d/', '→/d'],
      ['/d/index/', '404', '→/d/', '→/d/', '→/d'],
    ],
  ],
  [
    ['b.html', 'b/index.html'],
    [
      ['/b', '→/b/', 'b.html', '→/b/', 'b.html'],
      ['/b/', 'b/index.html', 'b/index.html', 'b/index.html', '→/b'],
      ['/b.html', 'b.html', '→/b', 'b.html', '→/b'],
      ['/b/index.html', 'b/index.html', '→/b/', '→/b/', 'b/index.html'],
      ['/b/index', '404', '→/b/', '→/b/', '→/b'],
    ],
  ],
  [
    ['x', 'x.html'],
    [
      ['/x', 'x', 'x', 'x', 'x'],
      ['/x.html', 'x.html', 'x.html', '→/x/', 'x.html'],
      ['/x/', '404', '404', 'x.html', '404'],
      ['/x/index', '404', '404', '→/x/', '404'],
      ['/x/index.html', '404', '404', '→/x/', '404'],
    ],
  ],
  [
    ['[y].html'],
    [
      ['/%5By%5D', '404', '[y].html', '→/%5By%5D/', '[y].html'],
      ['/%5By%5D/', '404', '→/%5By%5D', '[y].html', '→/%5By%5D'],
      ['/%5By%5D.html', '[y].html', '→/%5By%5D', '→/%5By%5D/', '→/%5By%5D'],
    ],
  ],
  [
    ['index'],
    [
      ['/index', 'index', 'index', 'index', 'index'],
      ['/', '404', '404', '404', '404'],
    ],
  ],
  [
    ['.html', 'd/.html', '404.html'],
    [
      ['/', '404', '404', '404', '404'],
      ['/.html', '.html', '.html', '.html', '.html'],
      ['/d/', '404', '404', '404', '404'],
      ['/d/.html', 'd/.html', 'd/.html', 'd/.html', 'd/.html'],
      ['/404.html', '404.html', '→/404', '→/404/', '→/404'],
    ],
  ],
  [
    ['p.html.html', 'p/index.html'],
    [
      ['/p.html', '404', 'p.html.html', '→/p/', 'p.html.html'],
      ['/p.html.html', 'p.html.html', '→/p.html', '→/p.html/', '→/p.html'],
    ],
  ],
  [
    ['page.htm', 'photo.png'],
    [
      ['/page.htm', 'page.htm', 'page.htm', 'page.htm', 'page.htm'],
      ['/page', '404', '404', '404', '404'],
      ['/photo.png', 'photo.png', 'photo.png', 'photo.png', 'photo.png'],
      ['/photo.png/', '404', '404', '404', '404'],
    ],
  ],
]

const reserved: typeof sites = [
  [
    ['_redirects', '_headers', '.sitehostignore', '_headers.html', 'd/_headers'],
    [
      ['/_redirects', '404', '404', '404', '404'],
      ['/_headers', '404', '404', '404', '404'],
      ['/.sitehostignore', '404', '404', '404', '404'],
      ['/_headers.html', '_headers.html', '_headers.html', '→/_headers/', '_headers.html'],
      ['/d/_headers', 'd/_headers', 'd/_headers', 'd/_headers', 'd/_headers'],
    ],
  ],
  [
    ['_headers', '_headers/index.html'],
    [
      ['/_headers', '404', '404', '404', '404'],
      [
        '/_headers/index.html',
        '_headers/index.html',
        '→/_headers/',
        '→/_headers/',
        '_headers/index.html',
      ],
    ],
  ],
]

const encoded: typeof sites = [
  [
    ['über uns/index.html', 'a?b.html', '%5Bz%5D.html'],
    [
      [
        '/%C3%BCber%20uns',
        '→/%C3%BCber%20uns/',
        '→/%C3%BCber%20uns/',
        '→/%C3%BCber%20uns/',
        'über uns/index.html',
      ],
      ['/a%3Fb', '404', 'a?b.html', '→/a%3Fb/', 'a?b.html'],
      ['/%5Bz%5D', '404', '404', '404', '404'],
      ['/%255Bz%255D', '404', '%5Bz%5D.html', '→/%255Bz%255D/', '%5Bz%5D.html'],
      ['/%255Bz%255D.html', '%5Bz%5D.html', '→/%255Bz%255D', '→/%255Bz%255D/', '→/%255Bz%255D'],
    ],
  ],
  [
    ['caf\u00e9.html'],
    [
      ['/cafe%CC%81.html', 'caf\u00e9.html', '→/cafe%CC%81', '→/cafe%CC%81/', '→/cafe%CC%81'],
      ['/cafe%CC%81', '404', 'caf\u00e9.html', '→/cafe%CC%81/', 'caf\u00e9.html'],
    ],
  ],
  [
    ['cafe\u0301.html', 'caf\u00e9.html'],
    [
      ['/cafe%CC%81.html', 'cafe\u0301.html', '→/cafe%CC%81', '→/cafe%CC%81/', '→/cafe%CC%81'],
      ['/caf%C3%A9', '404', 'caf\u00e9.html', '→/caf%C3%A9/', 'caf\u00e9.html'],
    ],
  ],
  [
    ['cafe\u0301/index.html', '\u212a'],
    [
      ['/caf%C3%A9', '→/caf%C3%A9/', '→/caf%C3%A9/', '→/caf%C3%A9/', 'cafe\u0301/index.html'],
      ['/K', '\u212a', '\u212a', '\u212a', '\u212a'],
    ],
  ],
]

const forms = ['plain', 'auto', 'always', 'never'] as const

for (const [what, table] of Object.entries({ sites, reserved, encoded })) {
  describe(what, () => {
    for (const [files, rows] of table) {
      test.each(rows)(`${files.join(' + ')}: %s is %s, %s, %s, %s`, (pathname, ...answers) => {
        const [plain, auto, always, never] = answers
        const shown = forms.map((form) => look(form, files, pathname))
        expect(shown).toEqual([plain, auto, always, never])
      })
    }
  })
}

describe('several index files', () => {
  const both = ['d/home.html', 'd/index.html']
  test.each([
    ['plain', '/d/', 'd/home.html'],
    ['plain', '/d', '→/d/'],
    ['auto', '/d/home.html', '→/d/'],
    ['auto', '/d/home', '→/d/'],
    ['auto', '/d/index.html', 'd/index.html'],
    ['auto', '/d/index', '→/d/'],
    ['never', '/d/', '→/d'],
    ['never', '/d/index.html', 'd/index.html'],
  ] as const)('the first that exists stands for its directory: %s %s is %s', (...row) => {
    const [form, pathname, answer] = row
    expect(look(form, both, pathname, ['home.html', 'index.html'])).toBe(answer)
  })

  test.each([
    [['main.txt'], '/', 'main.txt'],
    [['home.html'], '/', '404'],
    [[], '/', '404'],
  ])('index files %j: / is %s', (indexFiles, pathname, answer) => {
    expect(look('auto', ['main.txt', 'index.html'], pathname, indexFiles)).toBe(answer)
    expect(look('plain', ['_headers', 'x'], '/', ['_headers', 'x'])).toBe('x')
  })

  test('one that is no page keeps its name where pages drop theirs', () => {
    expect(look('auto', ['d/main.txt'], '/d/main.txt', ['main.txt'])).toBe('→/d/')
    expect(look('auto', ['d/main.txt'], '/d/main', ['main.txt'])).toBe('404')
  })
})

describe('whatever the site and the address', () => {
  const name = fc.constantFrom(
    ...[
      'a',
      'b',
      'index',
      'index.html',
      'a.html',
      'b.html',
      'home.html',
      '.html',
      'index.html.html',
    ],
    ...[
      '[y]',
      '[y].html',
      'caf\u00e9.html',
      'cafe\u0301.html',
      'cafe\u0301',
      '_headers',
      '_headers.html',
    ],
  )
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
  const visits = fc.record({
    files: fc.array(path, { maxLength: 8 }),
    path: fc.oneof(path, fc.constant('')),
    isDirectory: fc.boolean(),
    addressForm: fc.constantFrom(...forms),
    indexFiles: fc.subarray(['index.html', 'home.html', '[y]', 'a.html', '_headers']),
  })

  test('a redirect leads to an address that shows the same file', () => {
    fc.assert(
      fc.property(visits, ({ files, path, isDirectory, ...rules }) => {
        const site = { ...rules, files: filesOf(files) }
        const page = findPage(site, { path, isDirectory: isDirectory || path === '' })
        if (page?.redirect == null) return
        const location = encodeAddress(page.redirect)
        expect(location).toMatch(/^\/(?!\/)[\x21-\x7e]*$/)
        const target = parseRequestPath(location)
        if (!target.ok) throw new Error(`${location} is no path`)
        const there = { path: target.segments.join('/'), isDirectory: target.trailingSlash }
        expect(there).toEqual(page.redirect)
        expect(findPage(site, there)).toEqual({ ...page, redirect: null, isHere: true })
      }),
      { numRuns: fuzzRunsOf(500) },
    )
  })

  test('every file but the reserved ones has an address, and none shows a reserved one', () => {
    fc.assert(
      fc.property(visits, ({ files, path, isDirectory, ...rules }) => {
        const site = { ...rules, files: filesOf(files) }
        for (const file of files) {
          const found = findPage(site, { path: file, isDirectory: false })
          if (file === '_headers') expect(found).toBeNull()
          else expect(found?.path).toBe(file)
        }
        const found = findPage(site, { path, isDirectory: isDirectory || path === '' })
        expect(found?.path).not.toBe('_headers')
      }),
      { numRuns: fuzzRunsOf(500) },
    )
  })
})
