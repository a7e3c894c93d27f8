import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { requestPathBytesMax } from './limits.ts'
import { parseRequestPath } from './request-path.ts'

const understood: [string, string[], boolean][] = [
  ['/', [], true],
  ['//', [], true],
  ['/a', ['a'], false],
  ['/a/', ['a'], true],
  ['/a/b.html', ['a', 'b.html'], false],
  ['//a///b', ['a', 'b'], false],
  ['//evil.com/x', ['evil.com', 'x'], false],
  ['/a%20b', ['a b'], false],
  ['/%5By%5D', ['[y]'], false],
  ['/[y]', ['[y]'], false],
  ['/%e6%97%a5', ['日'], false],
  ['/日', ['日'], false],
  ['/%252e%252e%252fx', ['%2e%2e%2fx'], false],
  ['/%2B+', ['++'], false],
  ['/...', ['...'], false],
  ['/__proto__', ['__proto__'], false],
  ['/a%0d%0ab', ['a\r\nb'], false],
]

test.each(understood)('%s is %j, trailing slash: %p', (pathname, segments, trailingSlash) => {
  expect(parseRequestPath(pathname)).toEqual({ ok: true, segments, trailingSlash })
})

test.each([
  '',
  'a',
  '*',
  '/%',
  '/a%zz',
  '/a%2',
  '/%ff',
  '/%c0%af',
  '/%ed%a0%80',
  '/\ud800',
  '/%00',
  '/a%2fb',
  '/a%5Cb',
  '/a\\b',
  '/..%2f..%2fetc/passwd',
  '/.',
  '/..',
  '/%2e%2e/x',
  '/a/.%2E',
])('%j is a bad request', (pathname) => {
  expect(parseRequestPath(pathname)).toEqual({ ok: false, status: 400 })
})

test('4096 bytes are the longest path', () => {
  const longest = `/${'a'.repeat(requestPathBytesMax - 1)}`
  expect(parseRequestPath(longest).ok).toBe(true)
  expect(parseRequestPath(`${longest}a`)).toEqual({ ok: false, status: 414 })
  expect(parseRequestPath(`/${'é'.repeat(requestPathBytesMax / 2)}`).ok).toBe(false)
})

test('decoding reverses encoding', () => {
  const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => {
    return !/[/\\\0]/.test(name) && name !== '.' && name !== '..'
  })
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
      const pathname = `/${segments.map(encodeURIComponent).join('/')}`
      expect(parseRequestPath(pathname)).toMatchObject({ ok: true, segments })
    }),
  )
})

test('any path has an answer', () => {
  fc.assert(
    fc.property(anyText(), (rest) => {
      const path = parseRequestPath(`/${rest}`)
      if (path.ok)
        for (const segment of path.segments) expect(segment).not.toMatch(/^\.{0,2}$|[/\\\0]/)
    }),
  )
})
