import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { defaultSettings } from '#site/record/settings.ts'
import { resolve } from '#site/visit/resolve.ts'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { ask, site, visit } from '#tests/support/visitors/site-visits.ts'

describe('whatever is asked', () => {
  const word = fc.constantFrom(
    ...['/', '//', 'a', 'b', 'index', 'index.html', '.html', '%C3%A9', 'e%CC%81', '[y]', '%5by%5D'],
    ...['日%20本', '%', '.', '_headers', 'a.html', '404'],
  )
  const pathname = fc.array(word, { maxLength: 8 }).map((words) => `/${words.join('')}`)
  const settings = fc.record({
    cleanUrls: fc.boolean(),
    trailingSlash: fc.constantFrom('auto', 'always', 'never'),
    directoryListing: fc.boolean(),
    indexFiles: fc.subarray(defaultSettings.indexFiles),
  })
  const name = fc.constantFrom(
    ...[
      'a',
      'b',
      'a.html',
      'b.html',
      'index.html',
      '.html',
      '[y]',
      '[y].html',
      '\u00e9',
      'e\u0301',
    ],
    ...['日 本', '404.html', '_headers', '_headers.html', 'index'],
  )
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'))
  const rule = fc.constantFrom(
    ...['/a /a.html 302!', '/a.html /a 302!', '/a/* /b/:splat 302!', '/b /c 302!', '/* /index 302'],
    ...['/a/b /a 200!', '/b/* /index.html 200', '/:x/index.html /:x 302!', '/%5By%5D /a 404!'],
  )
  const rules = fc.array(rule, { maxLength: 3 }).map((lines) => lines.join('\n'))
  const sites = fc.record({ files: fc.array(path, { maxLength: 8 }), settings, rules })

  test('our redirects lead straight to a file or a listing, and to no other site', () => {
    fc.assert(
      fc.property(sites, pathname, anyText(), (facts, pathname, query) => {
        const any = site(facts.files, facts)
        const decision = resolve(any, ask(pathname, {}, { search: `?${query}` }))
        if (decision.kind !== 'redirect' || decision.status !== 308) return
        expect(decision.location).toMatch(/^\/(?!\/)[\x21-\x7e]*$/)
        const target = new URL(decision.location, 'http://blog.test')
        expect(target.host).toBe('blog.test')
        expect(visit(any, target.pathname)).toMatch(/^(200|listing) /)
      }),
      { numRuns: 3000 },
    )
  })

  test('the second visitor gets what the first got', () => {
    fc.assert(
      fc.property(sites, fc.array(pathname), (facts, pathnames) => {
        const any = site(facts.files, facts)
        const forEveryone = new Set<string>()
        for (const each of pathnames) {
          const first = resolve(any, ask(each))
          expect(resolve(any, ask(each))).toEqual(first)
          expect(resolve(site(facts.files, facts), ask(each))).toEqual(first)
          if (first.kind === 'file' && first.isForEveryone) forEveryone.add(each)
        }
        expect(forEveryone.size).toBeLessThanOrEqual(2 * new Set(facts.files).size)
      }),
    )
  })
})
