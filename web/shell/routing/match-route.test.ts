import { expect, test } from 'bun:test'
import { matchPattern, type RouteParams } from './match-route.ts'

const matches: [pattern: string, path: string, params: RouteParams | null][] = [
  ['/', '/', {}],
  ['/', '/editor', null],
  ['/editor', '/editor', {}],
  ['/editor', '/editor/', null],
  ['/sites/:rkey', '/sites/blog', { rkey: 'blog' }],
  ['/sites/:rkey', '/sites/a~b%3Ac', { rkey: 'a~b:c' }],
  ['/sites/:rkey', '/sites/', null],
  ['/sites/:rkey', '/sites/%', null],
  ['/sites/:rkey', '/sites/blog/files', null],
  ['/sites/:rkey/files', '/sites/blog/files', { rkey: 'blog' }],
]
test.each(matches)('%s at %s', (pattern, path, params) => {
  expect(matchPattern(pattern, path)).toEqual(params)
})
