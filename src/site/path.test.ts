import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import {
  type BadPath,
  compareBytes,
  describeBadName,
  describeBadPath,
  isEntryName,
  parseSitePath,
} from './path.ts'

test.each([
  'index.html',
  'blog/2024/post.html',
  '.well-known/security.txt',
  '...',
  '%2e%2e%2fx',
  '__proto__/constructor',
  'a b#?[x].html',
  'bidi\u202Eoverride',
  'e\u0301/é',
  '日本語.html',
  'a'.repeat(255),
  'é'.repeat(127),
  `${'a'.repeat(255)}/${'b'.repeat(255)}`,
  `${'a/'.repeat(511)}bb`,
])('%j is a path', (path) => {
  expect(describeBadPath(path)).toBeNull()
  expect(String(parseSitePath(path))).toBe(path)
})

const badPaths: [string, BadPath][] = [
  ['', 'empty'],
  ['/a', 'absolute'],
  ['/', 'absolute'],
  ['a//b', 'empty segment'],
  ['a/', 'empty segment'],
  ['.', 'dot segment'],
  ['./a', 'dot segment'],
  ['a/../b', 'dot segment'],
  ['../../../../tmp/pwn', 'dot segment'],
  ['a\\b', 'backslash'],
  ['..\\x', 'backslash'],
  ['a\0', 'control character'],
  ['a\n.html', 'control character'],
  ['a\x1fb', 'control character'],
  ['a\x7fb', 'control character'],
  ['a\x80b', 'control character'],
  ['a\x9fb', 'control character'],
  ['a\uD800b', 'not Unicode'],
  ['\uDC00', 'not Unicode'],
  ['a'.repeat(256), 'over 255 bytes'],
  ['é'.repeat(128), 'over 255 bytes'],
  [`ok/${'a'.repeat(256)}/ok`, 'over 255 bytes'],
  [`${'a/'.repeat(511)}bbb`, 'over 1024 bytes in all'],
  [`${'é/'.repeat(341)}bb`, 'over 1024 bytes in all'],
]

test.each(badPaths)('%j is no path: %s', (path, reason) => {
  expect(describeBadPath(path)).toBe(reason)
  expect(parseSitePath(path)).toBeNull()
})

describe('entry names', () => {
  test('are single segments', () => {
    expect(describeBadName('a/b')).toBe('slash')
    expect(isEntryName('a/b')).toBe(false)
    expect(isEntryName('a')).toBe(true)
  })

  test('are bounded by the characters just outside the controls', () => {
    expect([' ', '~', '\u00a0'].map(isEntryName)).toEqual([true, true, true])
  })

  test('make up paths, and nothing else does', () => {
    const anyName = fc.oneof(anyText(), fc.constantFrom('', '.', '..', 'a\\', 'b'))
    fc.assert(
      fc.property(fc.array(anyName, { minLength: 1, maxLength: 5 }), (names) => {
        const path = names.join('/')
        const isPath = path !== '' && path.split('/').every(isEntryName)
        expect(parseSitePath(path) !== null).toBe(isPath)
      }),
    )
  })
})

test('byte order differs from that of UTF-16 beyond U+FFFF', () => {
  expect(['\u{1F600}', '\uFFFD', 'b', 'a', 'é'].sort(compareBytes)).toEqual([
    'a',
    'b',
    'é',
    '\uFFFD',
    '\u{1F600}',
  ])
})
