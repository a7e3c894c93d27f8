import { expect, test } from 'bun:test'
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
