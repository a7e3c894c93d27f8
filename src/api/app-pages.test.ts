import { describe, expect, test } from 'bun:test'
import { assetPath, parseReturnPath } from './app-pages.ts'

describe('a sign-in comes back to pages of the web app only', () => {
  test.each([
    '/',
    '/editor',
    '/account',
    '/sites/blog',
    '/sites/blog/versions?from=a%2Fb',
    '/sites/blog/visits',
    '/sites/a%3Ab_c.d~e-f/settings',
    '/editor?next=//evil.example',
  ])('%p', (path) => expect(parseReturnPath(path)).toBe(path))

  test.each([
    undefined,
    '',
    'editor',
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/%2Fevil.example',
    '/%5Cevil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/sites/..//evil.example',
    '/sites/x/..//evil.example',
    '/sites/%2e%2e//evil.example',
    'https://evil.example/editor',
    'https:/editor',
    'https:editor',
    'javascript:alert(1)',
    '/\t/evil.example',
    '/\n/evil.example',
    ' /editor',
    '/editor ',
    '/editor\r\nset-cookie: a=b',
    '/editor?a\u0000',
    '/editor?é',
    '/editor?\\',
    '/editor#x',
    '/editor/',
    '/editor;@evil.example',
    '/@evil.example',
    '/sites/',
    '/sites/blog/other',
    '/sites/a/b/c',
    '/admin',
    '/admin/logs',
    '/api/auth/login?handle=evil.example',
    '/api/auth/callback?code=x',
    '/invitation/x',
    `/editor?${'x'.repeat(2000)}`,
  ])('never %p', (path) => expect(parseReturnPath(path)).toBeNull())
})

describe('the document of a page', () => {
  test.each([
    ['/', '/'],
    ['/editor', '/editor'],
    ['/sites/blog', '/sites/:rkey'],
    ['/sites/blog/files', '/sites/:rkey/files'],
    ['/sites/blog/nothing', '/sites/blog/nothing'],
    ['/sites/', '/sites/'],
    ['/admin/', '/admin'],
    ['/admin/accounts/did%3Aplc%3Aa', '/admin'],
    ['/admin/logs', '/admin/logs'],
    ['/assets/a.js', '/assets/a.js'],
  ])('%p is at %p', (path, at) => expect(assetPath(path)).toBe(at))
})
