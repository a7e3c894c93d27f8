import { describe, expect, test } from 'bun:test'
import { assetPath } from './app-pages.ts'

describe('the document of a page', () => {
  test.each([
    ['/', '/'],
    ['/editor', '/'],
    ['/sites/blog', '/'],
    ['/sites/blog/files', '/'],
    ['/sites/blog/nothing', '/sites/blog/nothing'],
    ['/sites/', '/sites/'],
    ['/admin/', '/admin'],
    ['/admin/accounts/did%3Aplc%3Aa', '/admin'],
    ['/admin/logs', '/admin/logs'],
    ['/assets/a.js', '/assets/a.js'],
  ])('%p is at %p', (path, at) => expect(assetPath(path)).toBe(at))
})
