import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRequestPath } from '#site/request-path.ts'
import { matchRedirect } from '#site/rules/match-redirect.ts'
import { parseRedirects } from '#site/rules/redirects-file.ts'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { askRedirects } from '#tests/support/visitors/ask-redirects.ts'

test('any text is rules and problems', () => {
  const part = fc.constantFrom(...'/ * : a % = ? # ! , \n \t 3 0 1'.split(' '), ' ', 'https://')
  const weird = fc.oneof(
    anyText(),
    fc.array(part).map((all) => all.join('')),
  )
  fc.assert(fc.property(weird, (text) => void parseRedirects(text)))
})

test.each([
  ['one line of 1 MB', '/a /b'.padEnd(1_000_000, 'x')],
  ['a file of stars', '/*'.repeat(130_000)],
  ['lines of names', `/x ${'/:a'.repeat(600)}\n`.repeat(144)],
  ['lines that are no rules', 'x\n'.repeat(130_000)],
  ['spaces', `/a${' '.repeat(1900)}/b\n`.repeat(136)],
])('%s is read in the time that its length takes', (_, text) => {
  expect(cpuMs(() => parseRedirects(text))).toBeLessThan(300)
})

test('any rule and request have an answer that is safe to send', () => {
  const word = fc
    .array(
      fc.constantFrom(
        ...[
          '/',
          '/',
          '//',
          '*',
          ':a',
          ':splat',
          '\\',
          'a',
          '日',
          '%2F',
          '%5C',
          '%',
          '?',
          '#',
          '=',
          '.',
        ],
        ...['http://', 'https://h.test', '\t', '\r', '\n', '\0', '"', '301', '200!', ' '],
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''))
  const segment = fc.oneof(
    fc.constantFrom('a', '%20', '%E6%97%A5', '%0A'),
    anyText().map(encodeURIComponent),
  )
  const search = fc.oneof(
    fc.constant(''),
    anyText().map((text) => `?${encodeURI(text).replaceAll('#', '')}`),
  )
  fc.assert(
    fc.property(word, word, fc.array(segment), search, (from, to, segments, search) => {
      const rules = `/${from} /${to}\n/${from} ${to}\n/* /:splat${to}\n/* q=:q /:q`
      const address = `/${segments.join('/')}${search}`
      if (!parseRequestPath(new URL(`https://h.test${address}`).pathname).ok) return
      const match = askRedirects(rules, address)
      if (match === null || match.target === null) return
      expect(match.target).toMatch(/^(?:\/(?![/\\])|https?:\/\/[^/\\])[!-~]*$/)
      const leadsOut = new URL(match.target, 'https://h.test').host !== 'h.test'
      expect(leadsOut && match.target.startsWith('/')).toBe(false)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['/*x*x*x*x! /y', `/${'x'.repeat(200)}`],
  ['/:a:b:c:d:e! /y', `/${'x'.repeat(200)}`],
  ['/*/x/x/x/x/x/y /z', '/x'.repeat(2000)],
  [Array.from({ length: 1000 }, (_, i) => `/*/x${i} /y`).join('\n'), '/x'.repeat(2000)],
  [Array.from({ length: 1000 }, (_, i) => `/:a/* k=${i} /y`).join('\n'), '/x'.repeat(2000)],
])('%.40s costs no more than it is long', (text, pathname) => {
  const { rules } = parseRedirects(text)
  const segments = pathname.slice(1).split('/')
  const visitor = { host: 'h.test', country: null, search: '?k', header: () => null }
  const request = { method: 'GET', pathname, ...visitor }
  const spent = cpuMs(() => {
    for (let i = 0; i < 100; i++) matchRedirect(rules, request, segments, 'unforced')
  })
  expect(spent / 100).toBeLessThan(2)
})
