import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { requestTarget } from './request-target.ts'

test.each([
  ['/', '/', ''],
  ['/a/b.html', '/a/b.html', ''],
  ['/a?b', '/a', '?b'],
  ['/a?', '/a', ''],
  ['/a?b/c?d', '/a', '?b/c?d'],
  ['/a?b#c?d', '/a', '?b'],
  ['/a#b?c', '/a', ''],
  ['/a#', '/a', ''],
  ['//evil.test/x', '//evil.test/x', ''],
])('%s', (target, pathname, search) => {
  expect(requestTarget(`http://h.test${target}`)).toEqual({ pathname, search })
  expect(requestTarget(`https://a:1${target}`)).toEqual({ pathname, search })
})

test('what is no address has no path', () => {
  expect(requestTarget('/')).toEqual({ pathname: '', search: '' })
})

test('it says what URL says of an address in its normal form', () => {
  const host = fc.constantFrom('http://h', 'http://h.test:8080', 'https://[::1]')
  const path = anyText().map((text) => `/${text.replaceAll(/[?#]/g, '')}`)
  fc.assert(
    fc.property(host, path, fc.string(), fc.string(), (origin, path, query, fragment) => {
      for (const input of [`${origin}${path}?${query}#${fragment}`, `${origin}/${query}`]) {
        const { href, pathname, search } = new URL(input)
        expect(requestTarget(href)).toEqual({ pathname, search })
      }
    }),
  )
})
