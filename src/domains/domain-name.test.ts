import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyText } from '#tests/support/hostile/any-text.ts'
import {
  type DomainRefusal,
  foldDomain,
  isApex,
  parseCustomDomain,
  sharedDomain,
} from './domain-name.ts'

const own = { applicationHost: 'app.sitehost.com', baseDomain: 'sites.example.net' }
const long = `${'a'.repeat(63)}.`

describe('a domain is folded', () => {
  const facts: [string, string | null][] = [
    ['example.com', 'example.com'],
    ['EXAMPLE.Com', 'example.com'],
    ['example.com.', 'example.com'],
    ['example.com..', null],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['例え。jp', 'xn--r8jz45g.jp'],
    ['xn--r8jz45g.jp', 'xn--r8jz45g.jp'],
    ['faß.de', 'xn--fa-hia.de'],
    ['ｅｘ.com', 'ex.com'],
    ['xn--zz.com', null],
    ['localhost', 'localhost'],
    ['', null],
    ['.', null],
    ['.com', null],
    ['a..com', null],
    ['-a.com', null],
    ['a-.com', null],
    ['a_b.com', null],
    ['*.example.com', null],
    ['a b.com', null],
    [' example.com', null],
    ['example.com:80', null],
    ['https://example.com', null],
    ['example.com/path', null],
    ['%65xample.com', null],
    ['me@example.com', null],
    ['a\0.com', null],
    ['[::1]', null],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
    [`${'a'.repeat(64)}.com`, null],
    [`${long.repeat(3)}${'b'.repeat(47)}.com`, `${long.repeat(3)}${'b'.repeat(47)}.com`],
    [`${long.repeat(3)}${'b'.repeat(48)}.com`, null],
  ]
  for (const [input, domain] of facts) {
    test(JSON.stringify(input.slice(0, 70)), () => expect(foldDomain(input)).toBe(domain))
  }

  test('and folding any result again changes nothing', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyText(), fc.domain()), (input) => {
        const domain = foldDomain(input)
        if (domain !== null) expect(foldDomain(domain)).toBe(domain)
      }),
    )
  })
})

describe('parsing a custom domain', () => {
  const facts: [string, string | DomainRefusal][] = [
    ['example.com', 'example.com'],
    ['www.example.com.', 'www.example.com'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['shop.example.co.uk', 'shop.example.co.uk'],
    ['alice.github.io', 'alice.github.io'],
    ['www.ck', 'www.ck'],
    ['com', 'public-suffix'],
    ['co.uk', 'public-suffix'],
    ['github.io', 'public-suffix'],
    ['a.ck', 'public-suffix'],
    ['xn--q9jyb4c', 'public-suffix'],
    ['1.2.3.4', 'not-a-domain'],
    ['0x7f.1', 'not-a-domain'],
    ['127.1', 'not-a-domain'],
    ['1.2.3.4.5', 'not-a-domain'],
    ['[::1]', 'not-a-domain'],
    ['intranet', 'not-a-domain'],
    ['a.lan', 'not-a-domain'],
    ['localhost', 'special-use'],
    ['a.localhost', 'special-use'],
    ['a.test', 'special-use'],
    ['a.example', 'special-use'],
    ['a.invalid', 'special-use'],
    ['a.local', 'special-use'],
    ['a.internal', 'special-use'],
    ['a.onion', 'special-use'],
    ['a.home.arpa', 'special-use'],
    ['1.0.0.127.in-addr.arpa', 'special-use'],
    ['app.sitehost.com', 'ours'],
    ['sites.example.net', 'ours'],
    ['SITES.example.net.', 'ours'],
    ['a.sites.example.net', 'ours'],
    ['a.b.sites.example.net', 'ours'],
    ['mysites.example.net', 'mysites.example.net'],
    ['example.net', 'example.net'],
    ['other.app.sitehost.com', 'other.app.sitehost.com'],
  ]
  for (const [input, outcome] of facts) {
    test(`${input}: ${outcome}`, () => {
      const parsed = parseCustomDomain(input, own)
      expect<string>(parsed.ok ? parsed.domain : parsed.reason).toBe(outcome)
    })
  }
})

test('an address is no domain, even where the application is at it', () => {
  const parsed = parseCustomDomain('127.0.0.1', { ...own, applicationHost: '127.0.0.1' })
  expect(parsed).toEqual({ ok: false, reason: 'not-a-domain' })
})

test('an apex is a registrable domain without a subdomain', () => {
  const domains = ['example.com', 'www.example.com', 'example.co.uk', 'alice.github.io']
  expect(domains.filter(isApex)).toEqual(['example.com', 'example.co.uk', 'alice.github.io'])
})

test.each([
  ['sitehost.com', 'sites.sitehost.com', 'sitehost.com'],
  ['app.sitehost.com', 'sites.sitehost.com', 'sitehost.com'],
  ['www.sitehost.com', 'sitehost.com', 'sitehost.com'],
  ['sitehost.co.uk', 'www.sitehost.co.uk', 'sitehost.co.uk'],
  ['a.sitehost.github.io', 'b.sitehost.github.io', 'sitehost.github.io'],
  ['app.sites.localhost', 'sites.localhost', 'sites.localhost'],
  ['sitehost.com', 'sitehost.net', null],
  // Every site is a registrable domain.
  ['sitehost.co.uk', 'co.uk', null],
  ['sitehost.github.io', 'github.io', null],
  // Different owners may have these two.
  ['sitehost.co.uk', 'sites.co.uk', null],
  ['sitehost.github.io', 'sites.github.io', null],
  ['127.0.0.1', 'localhost', null],
  ['127.0.0.1', '127.0.0.1', null],
  ['localhost', 'localhost', null],
])('%s and sites under %s share %p', (applicationHost, baseDomain, shared) => {
  expect(sharedDomain(applicationHost, baseDomain)).toBe(shared)
})
