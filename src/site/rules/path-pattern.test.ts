import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseRequestPath } from '#site/request-path.ts'
import { anyText } from '#tests/support/hostile/any-text.ts'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { EncodedPath, matchPath } from './encoded-path.ts'
import { compilePathPattern } from './path-pattern.ts'

/** The captures of the path as they go into an address, null if the pattern does not match. */
function capture(pattern: string, pathname: string): Record<string, string> | null {
  const compiled = compilePathPattern(pattern)
  const path = parseRequestPath(pathname)
  if (!compiled.ok || !path.ok) throw new Error(`${pattern} ${pathname}`)
  const captures = matchPath(compiled.pattern, new EncodedPath(path))
  const names = [...compiled.pattern.names.keys()]
  return captures && Object.fromEntries(names.map((name) => [name, captures.get(name) ?? '']))
}

/** The captures, decoded. */
function match(pattern: string, pathname: string): Record<string, string> | null {
  const captures = capture(pattern, pathname)
  if (captures === null) return null
  const decoded = Object.entries(captures).map(([name, text]) => [name, decodeURIComponent(text)])
  return Object.fromEntries(decoded)
}

test.each<[string, string, Record<string, string> | null]>([
  ['/', '/', {}],
  ['/', '/a', null],
  ['/a', '/a', {}],
  ['/a', '/a/', {}],
  ['/a/', '/a', {}],
  ['/a', '//a', {}],
  ['//a', '/a', {}],
  ['/a', '/A', null],
  ['/a', '/a/b', null],
  ['/a', '/', null],
  ['/a%20b', '/a b', {}],
  ['/a b', '/a%20b', {}],
  ['/caf%C3%A9', '/café', {}],
  ['/:id', '/x', { id: 'x' }],
  ['/:id', '/x/', { id: 'x' }],
  ['/:id', '/', null],
  ['/:id', '/x/y', null],
  ['/:id', '/a%20b', { id: 'a b' }],
  ['/%3Aid', '/:id', {}],
  ['/%3Aid', '/x', null],
  ['/:a/:b', '/x/y', { a: 'x', b: 'y' }],
  ['/:a_1/z', '/x/z', { a_1: 'x' }],
  ['/a:b', '/a:b', {}],
  ['/a:b', '/ax', null],
  ['/12:30', '/12:30', {}],
  ['/*', '/', { splat: '' }],
  ['/*', '/a', { splat: 'a' }],
  ['/*', '/a/b/', { splat: 'a/b/' }],
  ['/news/*', '/news', { splat: '' }],
  ['/news/*', '/news/', { splat: '' }],
  ['/news/*', '/news/a', { splat: 'a' }],
  ['/news/*', '/news/a/', { splat: 'a/' }],
  ['/news/*', '/newsletter', null],
  ['/news/*', '/old/news', null],
  ['/*/a', '/x/y/a', { splat: 'x/y' }],
  ['/*/a', '/x/y/a/', { splat: 'x/y' }],
  ['/*/a', '/a', { splat: '' }],
  ['/*/a', '/x', null],
  ['/a/*/a', '/a', null],
  ['/a/*/a', '/a/a', { splat: '' }],
  ['/:x/*/:y', '/1/2/3/4', { x: '1', splat: '2/3', y: '4' }],
  ['/:x/*/:y', '/1', null],
  ['/%2A', '/*', {}],
  ['/%2A', '/a', null],
  ['/:splat', '/a', { splat: 'a' }],
  ['/:__proto__', '/a', JSON.parse('{"__proto__":"a"}')],
])('%s fits %s: %j', (pattern, pathname, captures) => {
  expect(match(pattern, pathname)).toEqual(captures)
})

describe('patterns that are refused', () => {
  test.each([
    ['', 'is not a path'],
    ['a', 'is not a path'],
    ['/a%zz', 'is not a path'],
    ['/a%2fb', 'is not a path'],
    ['/a/../b', 'is not a path'],
    [`/${'a'.repeat(4096)}`, 'is not a path'],
    ['/*.html', 'inside a segment'],
    ['/**', 'inside a segment'],
    ['/a*', 'inside a segment'],
    ['/*/a/*', 'more than one *'],
    ['/:id/:id', ':id more than once'],
    ['/:splat/*', ':splat more than once'],
  ])('%s: %s', (pattern, problem) => {
    expect(compilePathPattern(pattern)).toEqual({
      ok: false,
      problem: expect.stringContaining(problem),
    })
  })
})

test.each([
  ['/:id', null],
  ['/a/*', null],
  ['/12:30', null],
  ['/:id.html', 'takes :id.html literally'],
  ['/v:id', 'takes v:id literally'],
  ['/:a:b', 'takes :a:b literally'],
])('%s is understood; problem: %p', (pattern, problem) => {
  const compiled = compilePathPattern(pattern)
  expect(compiled.ok && compiled.problem).toEqual(
    problem === null ? null : expect.stringContaining(problem),
  )
})

test('names are whole: :id and :idx are two', () => {
  expect(match('/:id/:idx', '/1/2')).toEqual({ id: '1', idx: '2' })
})

test.each([
  ['/a/b c/', 'a/b%20c/'],
  ['/é%0D%0A', '%C3%A9%0D%0A'],
  ['/', ''],
])('%j goes into an address as %s', (pathname, address) => {
  expect(capture('/*', pathname)?.['splat']).toBe(address)
})

test('whatever was captured is visible ASCII in an address, and leads back to the same segments', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (names) => {
      const pathname = `/${names.map(encodeURIComponent).join('/')}`
      const path = parseRequestPath(pathname)
      if (!path.ok) return
      const splat = capture('/*', pathname)?.['splat'] ?? ''
      expect(splat).toMatch(/^[!-~]*$/)
      expect(parseRequestPath(`/${splat}`)).toMatchObject({ segments: names })
    }),
  )
})

test('any text is a pattern or a problem, and long ones take no longer than their length', () => {
  const weird = fc.oneof(
    anyText(),
    fc
      .array(fc.constantFrom('/', '*', ':', 'a', '%', '2', 'F', '.'))
      .map((parts) => parts.join('')),
  )
  fc.assert(fc.property(weird, (text) => void compilePathPattern(`/${text}`)))
  const spent = cpuMs(() => {
    for (const unit of ['/:a', '/*', '/', ':a', '%']) compilePathPattern(unit.repeat(100_000))
    for (let i = 0; i < 100; i++) match(`/*${'/a'.repeat(1000)}`, '/a'.repeat(2000))
  })
  expect(spent).toBeLessThan(1000)
})
