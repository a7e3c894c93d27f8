import { expect, test } from 'bun:test'
import { redirectToPrimary } from './primary-redirect.ts'

const primary = 'https://www.example.com'
const redirect = (path: string, method = 'GET') =>
  redirectToPrimary(primary, new Request(`https://old.example.com${path}`, { method }))
const target = (path: string) => redirect(path)?.headers.get('location')

test('path and query are kept as they came', () => {
  for (const path of ['/', '/a/b.html?x=%20&y', '/%C3%BC', '//evil.com/x', '/a?b#c']) {
    expect([path, target(path)]).toEqual([path, primary + path.replace('#c', '')])
  }
})

test('it is permanent, for as long as nobody changes it', () => {
  const answer = redirect('/', 'POST')
  expect([answer?.status, answer?.headers.get('cache-control')]).toEqual([308, 'public, max-age=0'])
})

test('what proves a domain, what is no address, and what asks first are answered where they are', () => {
  expect(redirect('/.well-known/acme-challenge/token')).toBeNull()
  expect(redirect('/%2ewell-known/acme-challenge/token')).toBeNull()
  expect(redirect('/.well-known/other')).not.toBeNull()
  expect(redirect('/a%zz')).toBeNull()
  expect(redirect(`/${'a'.repeat(4096)}`)).toBeNull()
  expect(redirect('/', 'OPTIONS')).toBeNull()
})
