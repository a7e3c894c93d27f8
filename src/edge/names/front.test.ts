import { describe, expect, test } from 'bun:test'
import { parseTrustedProxies } from '#http/client-address.ts'
import { type Front, httpsRedirect, trustIn, visitedHost, visitorCountry } from './front.ts'

const front = (connection: string | null): Front => ({
  isTrusted: trustIn(parseTrustedProxies('127.0.0.1, 10.0.0.0/8') ?? []),
  countryHeader: 'CF-IPCountry',
  redirectsToHttps: true,
  connectionOf: () => connection,
})
const trusted = front('10.0.0.7')
const others = { stranger: front('203.0.113.9'), nobody: front(null) }

const request = (headers: Record<string, string>, path = '/') =>
  new Request(`http://origin.test${path}`, { headers })

describe('the host that was visited', () => {
  const facts: [what: string, headers: Record<string, string>, visited: string | null][] = [
    ['as it stands', { host: 'a.test' }, 'a.test'],
    ['as the front says', { host: 'a.test', 'x-forwarded-host': 'b.test' }, 'b.test'],
    [
      'its own word, of several',
      { host: 'a.test', 'x-forwarded-host': 'c.test, b.test' },
      'b.test',
    ],
    ['nothing, when it says nothing', { host: 'a.test', 'x-forwarded-host': '' }, ''],
    ['unknown', {}, null],
  ]
  for (const [what, headers, visited] of facts) {
    test(`${what}: ${JSON.stringify(headers)}`, () =>
      expect(visitedHost(request(headers), trusted)).toBe(visited))
  }
  for (const [who, untrusted] of Object.entries(others)) {
    test(`whatever ${who} says`, () => {
      const headers = { host: 'a.test', 'x-forwarded-host': 'b.test' }
      expect(visitedHost(request(headers), untrusted)).toBe('a.test')
    })
  }
})

describe('the country', () => {
  const facts: [said: string | null, country: string | null][] = [
    ['DE', 'DE'],
    ['de', 'DE'],
    ['XX', null],
    ['T1', null],
    ['DEU', null],
    ['', null],
    [null, null],
  ]
  for (const [said, country] of facts) {
    test(`${said}: ${country}`, () => {
      const headers = said === null ? {} : { 'cf-ipcountry': said }
      expect(visitorCountry(request(headers), trusted)).toBe(country)
    })
  }
  test('counts from a front, and where a field for it is configured', () => {
    const said = request({ 'cf-ipcountry': 'DE' })
    for (const untrusted of Object.values(others))
      expect(visitorCountry(said, untrusted)).toBeNull()
    expect(visitorCountry(said, { ...trusted, countryHeader: null })).toBeNull()
  })
})

describe('by http to a front', () => {
  const plain = { 'x-forwarded-proto': 'http' }
  const target = (asked: Request, at = trusted, host: string | null = 'Blog.Test:80') =>
    httpsRedirect(asked, host, at)?.headers.get('location')

  test('leads to https, path and query kept', () => {
    expect(httpsRedirect(request(plain), 'blog.test', trusted)?.status).toBe(308)
    expect(target(request(plain, '/a%20b?c=d'))).toBe('https://blog.test/a%20b?c=d')
    expect(target(request({ 'x-forwarded-proto': 'https, http' }))).toBe('https://blog.test/')
  })

  const stay: [what: string, asked: Request, at?: Front, host?: string | null][] = [
    ['by https', request({ 'x-forwarded-proto': 'https' })],
    ['by who knows what', request({})],
    ['by a stranger', request(plain), others.stranger],
    ['where it is not configured', request(plain), { ...trusted, redirectsToHttps: false }],
    ['by an authority’s challenge', request(plain, '/.well-known/acme-challenge/x')],
    ['to a host that is none', request(plain), trusted, 'a b'],
    ['to no host', request(plain), trusted, null],
  ]
  for (const [what, ...asked] of stay) {
    test(`${what}: stays`, () => expect(target(...asked)).toBeUndefined())
  }
})
