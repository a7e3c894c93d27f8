import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { ConfigError, readConfig } from './config.ts'
import { settings } from './settings.ts'

const defaults = readConfig({}, {})

describe('.env.example', async () => {
  const text = await readFile(new URL('../../../.env.example', import.meta.url), 'utf8')
  const example = Object.fromEntries(
    [...text.matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  )

  test('names every setting, and no other, in their order', () => {
    expect(Object.keys(example)).toEqual(Object.keys(settings.shape))
  })

  test('shows the defaults', () => {
    expect(readConfig({}, example)).toEqual(defaults)
  })
})

describe('what is set', () => {
  test('stands before the default, an override before both', () => {
    expect(readConfig({}, { MAX_FILE_BYTES: '5' }).limits.fileBytesMax).toBe(5)
    expect(readConfig({ MAX_FILE_BYTES: '6' }, { MAX_FILE_BYTES: '5' }).limits.fileBytesMax).toBe(6)
    expect(
      readConfig({ MAX_FILE_BYTES: undefined }, { MAX_FILE_BYTES: '5' }).limits.fileBytesMax,
    ).toBe(5)
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

  test('the address may be a public one', () => {
    const environment = {
      BASE_URL: 'https://sitehost.example.com/',
      BASE_DOMAIN: 'sites.example.org',
    }
    expect(readConfig({}, environment)).toMatchObject({ origin: 'https://sitehost.example.com' })
  })

  test('name servers are a list, in their order', () => {
    expect(readConfig({ DNS_SERVERS: '9.9.9.9, [::1]:5353' }, {}).dnsServers).toEqual([
      { host: '9.9.9.9', port: 53 },
      { host: '::1', port: 5353 },
    ])
  })

  test('fronts are a list of addresses and ranges, or none', () => {
    const trusted = (list: string) => readConfig({ TRUSTED_PROXIES: list }, {}).trustedProxies
    expect(trusted('127.0.0.1, fd00::/8')).toHaveLength(2)
    expect(trusted('none')).toEqual([])
    expect(trusted('')).toHaveLength(2)
  })

  test('edge processes are one by one, as many as processors, or none', () => {
    const edges = (text: string) => readConfig({ EDGE_PROCESSES: text }, {}).edgeProcesses
    expect(edges('')).toBeNull()
    expect(edges('1')).toBe(1)
    expect(edges('64')).toBe(64)
    expect(edges('auto')).toBe(Math.min(availableParallelism(), 64))
  })

  test('a share that is 0 is unlimited', () => {
    const { shares } = readConfig({ SITE_BYTES_PER_DAY_MAX: '0' }, {})
    expect(shares.site).toEqual({ requestsPerSecondMax: 25_000, bytesPerDayMax: null })
    expect(shares.account).toEqual({ requestsPerSecondMax: 40_000, bytesPerDayMax: 2e12 })
  })

  test('reserved names are a list, with commas or blanks', () => {
    const reserved = (text: string) => readConfig({ RESERVED_NAMES: text }, {}).reservedNames
    expect([...reserved('shop, team  blog')]).toEqual(['shop', 'team', 'blog'])
    expect(reserved('').size).toBe(0)
  })

  test('secrets are a list, newest first', () => {
    const secrets = [`a${'x'.repeat(40)}`, `b${'x'.repeat(40)}`]
    expect(readConfig({ SECRET_KEY: secrets.join(', ') }, {}).secrets).toEqual(secrets)
  })
})

describe('a setting that cannot be used is named', () => {
  const refused: [Record<string, string>, RegExp][] = [
    [{ BASE_URL: 'https://sitehost.example.com' }, /BASE_DOMAIN/],
    [{ BASE_URL: 'https://sitehost.example.com/app' }, /BASE_URL/],
    [{ BASE_URL: 'http://sitehost.example' }, /BASE_URL/],
    [{ BASE_URL: 'http://localhost:3000' }, /BASE_URL.*127\.0\.0\.1/],
    [{ BASE_DOMAIN: '127.0.0.1' }, /BASE_DOMAIN/],
    [{ BASE_DOMAIN: 'Upper.example' }, /BASE_DOMAIN/],
    [{ DNS_SERVERS: '9.9.9.9, dns.example' }, /DNS_SERVERS/],
    [{ DNS_SERVERS: '9.9.9.9,' }, /DNS_SERVERS/],
    [{ TRUSTED_PROXIES: '10.0.0.0/33' }, /TRUSTED_PROXIES/],
    [{ TRUSTED_PROXIES: 'caddy' }, /TRUSTED_PROXIES/],
    [{ COUNTRY_HEADER: 'CF-IPCountry: DE' }, /COUNTRY_HEADER/],
    [{ ASK_LISTEN: '3001' }, /ASK_LISTEN/],
    [{ CDN_PAGE_SECONDS: '11' }, /CDN_PAGE_SECONDS: over 10 only with CDN_PURGE_URL/],
    [
      { CDN_PURGE_URL: 'http://127.0.0.1:6081/', CDN_PURGE_KIND: 'signed' },
      /CDN_PURGE_TOKEN: .*signature/,
    ],
    [{ ASK_LISTEN: 'localhost:3001' }, /ASK_LISTEN/],
    [{ ASK_LISTEN: '127.0.0.1:0' }, /ASK_LISTEN/],
    [{ ASK_LISTEN: '[127.0.0.1]:3001' }, /ASK_LISTEN/],
  ]
  for (const [environment, message] of refused) {
    test(JSON.stringify(environment), () => {
      expect(() => readConfig({}, environment)).toThrow(ConfigError)
      expect(() => readConfig({}, environment)).toThrow(message)
    })
  }
})
