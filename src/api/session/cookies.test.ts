import { describe, expect, test } from 'bun:test'
import { type CookieRead, readCookie, setCookie, signParts, verifyParts } from './cookies.ts'
import { KeyRing } from './key-ring.ts'

describe('reading', () => {
  const one = (value: string): CookieRead => ({ kind: 'one', value })
  const facts: [string | null, CookieRead][] = [
    [null, { kind: 'absent' }],
    ['', { kind: 'absent' }],
    ['did=a', one('a')],
    ['x=1; did=a; y=2', one('a')],
    ['x=1;did=a', one('a')],
    ['did=a=b|c', one('a=b|c')],
    ['did=', one('')],
    ['did', { kind: 'absent' }],
    ['xdid=a; DID=b; did2=c', { kind: 'absent' }],
    ['did=a; did=b', { kind: 'many' }],
    ['did=a; did=a', { kind: 'many' }],
    // Spaces to `String.trim` but not to browsers, which let any host of the domain set these.
    ['x=1; \u00a0did=a', { kind: 'absent' }],
    ['did=a; \u00a0did=b; \u2000did=c; \ufeffdid=d', one('a')],
    // Two Cookie lines that a front joined in the wrong way: nothing that would verify.
    ['did=a, did=b', one('a, did=b')],
    [';;;=;==', { kind: 'absent' }],
  ]
  for (const [header, expected] of facts) {
    test(JSON.stringify(header), () => expect(readCookie(header, 'did')).toEqual(expected))
  }
})

test('host-only, for requests of our own pages and links, out of reach of scripts', () => {
  expect(setCookie('sid', 'x', { maxAgeSeconds: 5, secure: false })).toBe(
    'sid=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=5',
  )
  expect(setCookie('__Host-sid', 'x', { maxAgeSeconds: 5, secure: true })).toBe(
    '__Host-sid=x; Path=/; HttpOnly; SameSite=Lax; Max-Age=5; Secure',
  )
})

describe('signed values', () => {
  const keys = new KeyRing(['k'.repeat(32)])
  const signed = signParts(keys, 'did', ['did:plc:x', 'id'], 1000)
  const [did, id, expiry, mac] = signed.split('|')
  const facts: [string, string, number, string[] | null][] = [
    ['as they were made', signed, 999, ['did:plc:x', 'id']],
    ['expired', signed, 1000, null],
    ['another account', [`${did}y`, id, expiry, mac].join('|'), 0, null],
    ['a later expiry', [did, id, '9999', mac].join('|'), 0, null],
    ['a part less', [did, expiry, mac].join('|'), 0, null],
    ['no signature', [did, id, expiry].join('|'), 0, null],
    ['an empty signature', [did, id, expiry, ''].join('|'), 0, null],
    ['nothing', '', 0, null],
    ['only bars', '|||', 0, null],
    ['a value of another cookie', signParts(keys, 'sid', ['did:plc:x', 'id'], 1000), 0, null],
  ]
  for (const [what, value, now, expected] of facts) {
    test(what, () => expect(verifyParts(keys, 'did', value, now)).toEqual(expected))
  }
})
