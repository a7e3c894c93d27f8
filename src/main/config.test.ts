import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { ConfigError, readConfig, readUploadLimits, settings } from './config.ts'

const defaults = readConfig({}, {})

describe('.env.example', async () => {
  const text = await readFile(new URL('../../.env.example', import.meta.url), 'utf8')
  const example = Object.fromEntries(
    [...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )

  test('names every setting, and no other', () => {
    expect(Object.keys(example).sort()).toEqual(Object.keys(settings.shape).sort())
  })

  test('shows the defaults', () => {
    expect(readConfig({}, example)).toEqual(defaults)
  })
})

describe('what is set', () => {
  test('stands before the default, an override before both', () => {
    expect(readConfig({}, { MAX_FILE_BYTES: '5' }).fileBytesMax).toBe(5)
    expect(readConfig({ MAX_FILE_BYTES: '6' }, { MAX_FILE_BYTES: '5' }).fileBytesMax).toBe(6)
    expect(readConfig({ MAX_FILE_BYTES: undefined }, { MAX_FILE_BYTES: '5' }).fileBytesMax).toBe(5)
  })

  const addresses: [Record<string, string>, Record<string, string>, string][] = [
    [{}, {}, 'http://127.0.0.1:3000'],
    [{}, { PORT: '4000' }, 'http://127.0.0.1:4000'],
    [{ PORT: '4001' }, { PORT: '4000' }, 'http://127.0.0.1:4001'],
    [{}, { PORT: '4000', BASE_URL: 'http://127.0.0.1:5000' }, 'http://127.0.0.1:5000'],
    [{ PORT: '4001' }, { BASE_URL: 'http://127.0.0.1:5000' }, 'http://127.0.0.1:5000'],
    [{ PORT: '4001', BASE_URL: 'http://127.0.0.1:5001' }, {}, 'http://127.0.0.1:5001'],
  ]
  for (const [overrides, environment, origin] of addresses) {
    test(`${JSON.stringify({ ...environment, ...overrides })}: at ${origin}`, () => {
      expect(readConfig(overrides, environment).origin).toBe(origin)
    })
  }

  test('name servers are a list, in their order', () => {
    expect(readConfig({ DNS_SERVERS: '9.9.9.9, [::1]:5353' }, {}).dnsServers).toEqual([
      { host: '9.9.9.9', port: 53 },
      { host: '::1', port: 5353 },
    ])
  })

  test('secrets are a list, newest first', () => {
    const secrets = [`a${'x'.repeat(40)}`, `b${'x'.repeat(40)}`]
    expect(readConfig({ SECRET_KEY: secrets.join(', ') }, {}).secrets).toEqual(secrets)
  })
})

test('what an upload may have is read whatever the rest is', () => {
  const { fileBytesMax, siteBytesMax } = defaults
  expect(readUploadLimits({ BASE_URL: 'https://sitehost.example' })).toEqual({
    fileBytesMax,
    siteBytesMax,
  })
  expect(readUploadLimits({ MAX_SITE_BYTES: '7' }).siteBytesMax).toBe(7)
  expect(() => readUploadLimits({ MAX_FILE_BYTES: 'lots' })).toThrow(/MAX_FILE_BYTES/)
})

describe('a setting that cannot be used is named', () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ PORT: '70000' }, /PORT/],
    [{ MAX_FILE_BYTES: 'lots' }, /MAX_FILE_BYTES/],
    [{ SECRET_KEY: 'short' }, /SECRET_KEY/],
    [{ DATABASE_URL: 'mysql://x/y' }, /DATABASE_URL/],
    [{ BASE_URL: 'https://sitehost.example' }, /BASE_URL/],
    [{ BASE_URL: 'http://sitehost.example' }, /BASE_URL/],
    [{ BASE_URL: 'http://localhost:3000' }, /BASE_URL.*127\.0\.0\.1/],
    [{ BASE_DOMAIN: '127.0.0.1' }, /BASE_DOMAIN/],
    [{ BASE_DOMAIN: 'Upper.example' }, /BASE_DOMAIN/],
    [{ ALLOW_PRIVATE_HOSTS: 'yes' }, /ALLOW_PRIVATE_HOSTS/],
    [{ DNS_SERVERS: '9.9.9.9, dns.example' }, /DNS_SERVERS/],
    [{ DNS_SERVERS: '9.9.9.9,' }, /DNS_SERVERS/],
    [{ MAX_SUBDOMAINS: '-1' }, /MAX_SUBDOMAINS/],
  ]
  for (const [environment, message] of refused) {
    test(JSON.stringify(environment), () => {
      expect(() => readConfig({}, environment)).toThrow(ConfigError)
      expect(() => readConfig({}, environment)).toThrow(message)
    })
  }
})
