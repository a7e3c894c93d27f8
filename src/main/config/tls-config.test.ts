import { describe, expect, test } from 'bun:test'
import { readConfig } from './config.ts'

describe('TLS that no setting chooses', () => {
  const three = {
    BASE_URL: 'https://sitehost.example.com',
    BASE_DOMAIN: 'sites.example.org',
    CONTACT: 'admin@example.com',
  }
  test('ends here, with ordered certificates, where a contact is set for a public address', () => {
    const { askListen, tls, tlsMode } = readConfig(three, {})
    expect([tlsMode, askListen]).toEqual(['assumed', null])
    expect(tls?.ordering?.authorities[0]?.contact).toEqual(['mailto:admin@example.com'])
  })
  const front = { host: '127.0.0.1', port: 3001 }
  test.each([
    [{ CONTACT: '' }, front],
    [{ TLS: 'off' }, front],
    [{ EDGE_PROCESSES: '2' }, front],
    [{ HTTPS_REDIRECT: '1' }, front],
    [{ COUNTRY_HEADER: 'CF-IPCountry' }, front],
    [{ ASK_LISTEN: '127.0.0.1:3009' }, { ...front, port: 3009 }],
    [{ BASE_URL: '', BASE_DOMAIN: 'localhost' }, null],
  ])('ends in a front with %j', (settings, askListen) => {
    const given = { ...three, ...settings }
    expect(readConfig(given, {})).toMatchObject({ tlsMode: 'off', tls: null, askListen })
  })
})

test('where a TLS front asks is an address, or nowhere', () => {
  const asked = (text: string) => readConfig({ ASK_LISTEN: text }, {}).askListen
  expect(asked('127.0.0.1:3001')).toEqual({ host: '127.0.0.1', port: 3001 })
  expect(asked('[::1]:3001')).toEqual({ host: '::1', port: 3001 })
  expect(asked('off')).toBeNull()
  expect(asked('')).toBeNull()
})

test('HTTP/3 is where TLS is', () => {
  const addresses = { BASE_URL: 'https://sitehost.example.com', BASE_DOMAIN: 'sites.example.org' }
  const tls = { ...addresses, TLS: 'files', TLS_FILES: '/a.pem:/a.key' }
  expect(readConfig({ ...tls, HTTP3: 'on' }, {}).tls?.http3).toBe(true)
  expect(readConfig(tls, {}).tls?.http3).toBe(false)
  expect(() => readConfig({ HTTP3: 'on' }, {})).toThrow(/^HTTP3: off where TLS is off/)
})
