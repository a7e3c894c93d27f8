import { describe, expect, test } from 'bun:test'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { parseSubdomainLabel } from './subdomain-label.ts'

describe('what may be claimed', () => {
  const facts: [string, string | null][] = [
    ['blog', 'blog'],
    ['Blog', 'blog'],
    ['my-blog-2', 'my-blog-2'],
    ['123', '123'],
    ['ab', null],
    ['abc', 'abc'],
    ['a'.repeat(63), 'a'.repeat(63)],
    ['a'.repeat(64), null],
    ['', null],
    ['-abc', null],
    ['abc-', null],
    ['a--b', null],
    ['xn--80ak6aa92e', null],
    ['s--aaaaaaaaaaaaaaaaaaaaaaaaaa', null],
    ['блог', null],
    ['bloɡ', null],
    // lower-cased by some to an ASCII k
    ['\u{212A}ey', null],
    ['a.b.c', null],
    ['a_b', null],
    ['abc ', null],
    ['abc\n', null],
    ['ab\0', null],
    ['admin', null],
    ['ADMIN', null],
    ['www', null],
    ['api', null],
    ['sites', null],
    ['dns', null],
    ['mta-sts', null],
    ...[
      ...['openpgpkey', 'autoconfig', 'lyncdiscover', 'sip', 'enterpriseenrollment'],
      ...['enterpriseregistration', 'msoid', 'pop', 'pop3', 'webmail', 'relay', 'mx1', 'ftp'],
      ...['localhost', 'broadcasthost', 'vpn', 'login', 'signin', 'account', 'accounts', 'app'],
      ...['secure', 'security', 'support', 'help', 'status', 'billing', 'abuse', 'postmaster'],
      ...['hostmaster', 'webmaster', 'noreply', 'root', 'ssl-admin'],
    ].map((reserved): [string, null] => [reserved, null]),
    ['admins', 'admins'],
    ['constructor', 'constructor'],
  ]
  for (const [input, label] of facts) {
    test(`${JSON.stringify(input.slice(0, 32))}: ${label !== null ? 'yes' : 'no'}`, () => {
      expect(parseSubdomainLabel(input)).toBe(label)
    })
  }

  test('a very long one is rejected quickly', () => {
    const label = `${'a-'.repeat(500_000)}-`
    expect(cpuMs(() => expect(parseSubdomainLabel(label)).toBeNull())).toBeLessThan(200)
  })
})
