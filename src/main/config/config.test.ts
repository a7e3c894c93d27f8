import { describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { ConfigError, readConfig } from './config.ts'
import { settings } from './settings.ts'
import { readUploadLimits } from './site-owner-config.ts'

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

  test('where a TLS front asks is an address, or nowhere', () => {
    const asked = (text: string) => readConfig({ ASK_LISTEN: text }, {}).askListen
    expect(asked('127.0.0.1:3001')).toEqual({ host: '127.0.0.1', port: 3001 })
    expect(asked('[::1]:3001')).toEqual({ host: '::1', port: 3001 })
    expect(asked('off')).toBeNull()
    expect(asked('')).toBeNull()
  })

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

  test('HTTP/3 is where TLS is', () => {
    const addresses = { BASE_URL: 'https://sitehost.example.com', BASE_DOMAIN: 'sites.example.org' }
    const tls = { ...addresses, TLS: 'files', TLS_FILES: '/a.pem:/a.key' }
    expect(readConfig({ ...tls, HTTP3: 'on' }, {}).tls?.http3).toBe(true)
    expect(readConfig(tls, {}).tls?.http3).toBe(false)
    expect(() => readConfig({ HTTP3: 'on' }, {})).toThrow(/^HTTP3: off where TLS is off/)
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

test('what an upload may have is read whatever the rest is', () => {
  const { fileBytesMax, siteBytesMax, siteFilesMax } = defaults.limits
  expect(readUploadLimits({ BASE_URL: 'https://sitehost.example' })).toEqual({
    fileBytesMax,
    siteBytesMax,
    siteFilesMax,
  })
  expect(readUploadLimits({ MAX_SITE_BYTES: '7' }).siteBytesMax).toBe(7)
  expect(() => readUploadLimits({ MAX_FILE_BYTES: 'lots' })).toThrow(/MAX_FILE_BYTES/)
})

const ofSeveral = {
  ...{ DATABASE_URL: 'postgres://db.example/sitehost', BLOBS_URL: 's3://blobs' },
  ...{ AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' },
  ...{ INTERNAL_LISTEN: '10.0.0.1:3002', INTERNAL_TOKEN: 'x'.repeat(16) },
  ...{
    SECRET_KEY: 'x'.repeat(32),
    BASE_URL: 'https://sitehost.dev',
    BASE_DOMAIN: 'sites.dev',
  },
}

test('with PostgreSQL, a bucket and an internal address a process is one of several instances', () => {
  const read = (changed: object) => readConfig({}, { ...ofSeveral, ...changed })
  expect(read({})).toMatchObject({ isOneOfSeveral: true, hostingAt: null })
  expect(read({ ROLES: 'app' })).toMatchObject({ isOneOfSeveral: true, hostingAt: { url: null } })
  expect(read({ ROLES: 'edge,ingest', SECRET_KEY: '' }).isOneOfSeveral).toBe(true)
  expect(read({ INTERNAL_LISTEN: '' }).isOneOfSeveral).toBe(false)
})

const ofEdge = { ...ofSeveral, ROLES: 'edge', INTERNAL_LISTEN: '', SECRET_KEY: '' }

test('an edge of its own is no instance, needs no SECRET_KEY, and asks any instance or one of them', () => {
  const read = (changed: object) => readConfig({}, { ...ofEdge, ...changed })
  expect(read({})).toMatchObject({
    roles: { app: false, hosting: false, isEdgeAlone: true },
    isOneOfSeveral: false,
    hostingAt: { url: null },
    internal: null,
    askListen: null,
  })
  const url = 'http://10.0.0.1:3002/'
  expect(read({ HOSTING_URL: url })).toMatchObject({ hostingAt: { url } })
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
    [{ HOSTING_URL: 'http://127.0.0.1:3002' }, /HOSTING_URL: only for ROLES=app/],
    [{ INTERNAL_LISTEN: '127.0.0.1:3002' }, /INTERNAL_LISTEN: only for ROLES=app/],
    [{ ...ofSeveral, INTERNAL_LISTEN: '0.0.0.0:3002' }, /INTERNAL_LISTEN: an address of this/],
    [{ ...ofSeveral, INTERNAL_LISTEN: '[::]:3002' }, /INTERNAL_LISTEN: an address of this/],
    [{ ...ofSeveral, INTERNAL_TOKEN: '' }, /INTERNAL_TOKEN: the same token for all/],
    [{ ...ofSeveral, SECRET_KEY: '' }, /SECRET_KEY: the same secret for all/],
    [{ ...ofSeveral, BASE_URL: '' }, /BASE_URL: the same address for all/],
    [{ ...ofSeveral, HOSTING_URL: 'http://127.0.0.1:3002' }, /HOSTING_URL: only with ROLES=app/],
    [
      {
        ...{ ROLES: 'app', INTERNAL_TOKEN: 'x'.repeat(16), HOSTING_URL: 'http://127.0.0.1:3002' },
        EDGE_PROCESSES: '2',
      },
      /EDGE_PROCESSES: not with ROLES=app/,
    ],
    [{ ...ofEdge, DATABASE_URL: '' }, /DATABASE_URL: with ROLES=edge/],
    [{ ...ofEdge, BLOBS_URL: '' }, /BLOBS_URL: with ROLES=edge/],
    [{ ...ofEdge, INTERNAL_TOKEN: '' }, /INTERNAL_TOKEN: the same token as/],
    [{ ...ofEdge, BASE_URL: '' }, /BASE_URL: with ROLES=edge/],
    [{ ...ofEdge, INTERNAL_LISTEN: '10.0.0.1:3002' }, /INTERNAL_LISTEN: not with ROLES=edge/],
    [{ ...ofEdge, ASK_LISTEN: '10.0.0.1:3001' }, /ASK_LISTEN: not with ROLES=edge/],
    [{ ...ofEdge, METRICS_LISTEN: '10.0.0.1:9464' }, /METRICS_LISTEN: not with ROLES=edge/],
    [{ ...ofEdge, EDGE_PROCESSES: '2' }, /EDGE_PROCESSES: not with ROLES=edge/],
    [{ ...ofEdge, TLS: 'auto', TLS_LISTEN: '[::]:443' }, /TLS: off where ROLES/],
    [{ ROLES: 'app' }, /INTERNAL_TOKEN/],
    [{ ROLES: 'app', INTERNAL_TOKEN: 'x'.repeat(16) }, /HOSTING_URL/],
    [{ ROLES: 'edge,ingest', INTERNAL_TOKEN: 'x'.repeat(16) }, /BASE_URL/],
    [
      { ROLES: 'ingest, edge', INTERNAL_TOKEN: 'x'.repeat(16), BASE_URL: 'http://127.0.0.1:3000' },
      /INTERNAL_LISTEN/,
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

describe('what a setting should be is told in plain words', () => {
  const bytes = /^[A-Z_]+: a whole number of bytes, such as 104857600$/
  const address = /^[A-Z_]+: an address that begins with https:\/\/ \(or http:\/\/\)$/
  const flag = /^[A-Z_]+: 0 or 1$/
  const share = /^[A-Z_]+: a whole number of (requests|bytes), 0 for no limit$/
  const takesAnything = null
  const wrong: Record<keyof typeof settings.shape, [values: string[], message: RegExp] | null> = {
    BASE_URL: [['foo', 'ftp://x.com'], address],
    BASE_DOMAIN: [['Upper.com', '-'], /a host name in lower case, such as sites\.example\.com/],
    // What is no address of this machine only listening tells.
    HOST: takesAnything,
    PORT: [['abc', '70000', '-1', '1.5'], /^PORT: a whole number from 0 to 65535$/],
    TRUSTED_PROXIES: [['caddy', '10.0.0.0/33'], /addresses and ranges such as .*, or none$/],
    COUNTRY_HEADER: [['CF-IPCountry: DE'], /the name of a header field, such as CF-IPCountry$/],
    HTTPS_REDIRECT: [['yes'], flag],
    ASK_LISTEN: [['3001', 'localhost:3001'], /an address and a port, such as .*, or off$/],
    TLS: [['on', 'letsencrypt'], /^TLS: off, files or auto$/],
    TLS_LISTEN: [['443', ':443'], /an address and a port, such as .*, or off$/],
    HTTP3: [['1', 'yes'], /^HTTP3: off or on$/],
    HTTP_LISTEN: [['80', ':80'], /an address and a port, such as .*, or off$/],
    TLS_FILES: [
      ['chain.pem', 'a:b:c', 'a:b,c', ':b'],
      /files of a certificate and its key, such as/,
    ],
    ACME_DIRECTORY: [['acme.example', 'http://acme.example'], /begins with https:\/\/$/],
    ACME_CA: takesAnything,
    ACME_DNS_LISTEN: [['53', ':53'], /an address and a port, such as .*, or off$/],
    ACME_EAB: [
      ['kid', 'kid:short', ':zWNDZM6eQGHWpSRT'],
      /^ACME_EAB: the id of the key and the key/,
    ],
    ACME_PROFILE: [['a profile'], /^ACME_PROFILE: the name of a profile, such as tlsserver$/],
    ACME_FALLBACK_DIRECTORY: [['http://acme.example'], /begins with https:\/\/$/],
    ACME_FALLBACK_EAB: [['kid'], /^ACME_FALLBACK_EAB: the id of the key and the key/],
    HSTS_SECONDS: [['-1', 'a year'], /a whole number of seconds, 0 for none$/],
    INSTANCE_NAME: [
      ['x'.repeat(61), 'a\nb'],
      /^INSTANCE_NAME: (at most 60 characters|a name on one line)$/,
    ],
    CONTACT: [
      ['me', 'http://x.com', 'javascript:x'],
      /an e-mail address, or the https:\/\/ address/,
    ],
    TERMS_URL: [
      ['http://x.com', 'terms', 'https://x.example'],
      /begins with https:\/\/ at a name of/,
    ],
    PRIVACY_URL: [['javascript:x', 'https://127.0.0.1'], /begins with https:\/\/ at a name of/],
    SOURCE_URL: [['http://x.com', 'git@x.com:a'], /begins with https:\/\/ at a name of/],
    STATUS_URL: [['http://x.com', 'up'], /begins with https:\/\/ at a name of/],
    // Read when the service starts.
    LOGO_FILE: takesAnything,
    FRONT_PAGE_TEXT: [['x'.repeat(2001)], /^FRONT_PAGE_TEXT: at most 2000 characters$/],
    EDGE_PROCESSES: [
      ['0', '65', '1.5', 'all', '-1'],
      /^EDGE_PROCESSES: auto, or a whole number from 1 to 64$/,
    ],
    ROLES: [
      ['app,edge', 'ingest', 'app,app', 'edge,edge'],
      /^ROLES: app,edge,ingest, or two processes with app and with edge,ingest, or edge$/,
    ],
    HOSTING_URL: [['hosting'], address],
    INTERNAL_LISTEN: [['3002'], /an address and a port, such as .*, or off$/],
    INTERNAL_TOKEN: [
      ['short', 'a token with blanks in it'],
      /^INTERNAL_TOKEN: at least 16 characters, without blanks$/,
    ],
    INSTANCE_GONE_SECONDS: [['9', '-1', 'never'], /a whole number of seconds, 10 or more$/],
    CDN_PURGE_URL: [['cdn.test/purge', 'ftp://x.com'], address],
    CDN_PURGE_KIND: [['host', 'fastly'], /^CDN_PURGE_KIND: hosts, keys or signed$/],
    CDN_PAGE_SECONDS: [['-1', 'an hour'], /a whole number of seconds, 0 for not at all$/],
    CDN_PURGE_TOKEN: [
      ['short', 'with a blank in it'],
      /^CDN_PURGE_TOKEN: at least 16 characters, without blanks$/,
    ],
    METRICS_LISTEN: [['9464', 'localhost:9464'], /an address and a port, such as .*, or off$/],
    OTEL_EXPORTER_OTLP_ENDPOINT: [['collector:4318', 'grpc://x.com'], address],
    METRICS_TOKEN: [
      ['short', 'with a blank in it'],
      /^METRICS_TOKEN: at least 16 characters, without blanks$/,
    ],
    DATA_DIR: takesAnything,
    SECRET_KEY: [['short'], /^SECRET_KEY: at least 32 characters$/],
    BLOBS_URL: [['/srv/blobs', 's3://', 's3://sites'], /^BLOBS_URL: .*(s3:\/\/bucket|endpoint)/],
    AWS_ACCESS_KEY_ID: takesAnything,
    AWS_SECRET_ACCESS_KEY: takesAnything,
    AWS_SESSION_TOKEN: takesAnything,
    AWS_REGION: takesAnything,
    BLOB_CACHE_BYTES: [['10G'], bytes],
    DATABASE_URL: [
      ['mysql://x/y', 'x', 'postgres://user:pass#word@host/database'],
      /^DATABASE_URL: postgres:\/\/user:password@host\/database, the password percent-encoded$/,
    ],
    PLC_URL: [['plc'], address],
    HANDLE_RESOLVER_URL: [['plc'], address],
    FIREHOSE_URL: [['plc'], /a Jetstream \(wss:\/\/host\/subscribe\), or the address/],
    RELAY_URL: [['plc'], address],
    INGEST: [['some'], /^INGEST: known, visited or all$/],
    ALSO_SERVE: [['place.other', 'place.wisp,place'], /^ALSO_SERVE: place\.wisp, or nothing$/],
    VISITED_BYTES_MAX: [['5GB', '0'], bytes],
    ALLOW_PRIVATE_HOSTS: [['yes', '2'], flag],
    DNS_SERVERS: [['dns.example', '9.9.9.9,'], /addresses such as 9\.9\.9\.9/],
    RESERVED_NAMES: [['Shop', 'a.b', 'a;b'], /^RESERVED_NAMES: names in lower case without dots/],
    SIGN_IN: [['closed'], /^SIGN_IN: open, listed or invited$/],
    MAX_SUBDOMAINS: [['-1', 'x', '1e300'], /^MAX_SUBDOMAINS: a whole number, 0 or more$/],
    MAX_FILE_BYTES: [['lots', '-1', '0.5'], bytes],
    MAX_SITE_BYTES: [['300 MB'], bytes],
    MAX_SITE_FILES: [['0', '10001'], /^MAX_SITE_FILES: a whole number from 1 to 10000$/],
    ACCOUNT_BYTES_MAX: [['5GB'], bytes],
    ACCOUNT_SITES_MAX: [['1001', '-1'], /^ACCOUNT_SITES_MAX: a whole number from 0 to 1000$/],
    UPLOADS_PER_DAY_MAX: [['-1', 'x'], /^UPLOADS_PER_DAY_MAX: a whole number, 0 or more$/],
    SITE_REQUESTS_PER_SECOND_MAX: [['-1', '0.5'], share],
    SITE_BYTES_PER_DAY_MAX: [['1T'], share],
    ACCOUNT_REQUESTS_PER_SECOND_MAX: [['many'], share],
    ACCOUNT_BYTES_PER_DAY_MAX: [['-1'], share],
    SPOOL_BYTES_MAX: [['8G'], bytes],
    DECODED_BYTES_MAX: [['2G'], bytes],
    SCRUB_DAYS: [['-1', '3651', 'x'], /^SCRUB_DAYS: a whole number of days, 0 for never$/],
    SNAPSHOT_MEMORY_BYTES: [['128M'], bytes],
    BODY_MEMORY_BYTES: [['Infinity', 'NaN'], bytes],
    SHUTDOWN_SECONDS_MAX: [
      ['-1', '3601', 'long'],
      /^SHUTDOWN_SECONDS_MAX: a whole number of seconds, from 0 to 3600$/,
    ],
    LOG_LEVEL: [['verbose'], /^LOG_LEVEL: debug, info, warning or error$/],
    LOG_FORMAT: [['xml'], /^LOG_FORMAT: text or json$/],
    NO_COLOR: null,
    LOG_ROWS_MAX: [['0', '-1', '1.5', 'x'], /^LOG_ROWS_MAX: a whole number, 1 or more$/],
    WEB_RELOAD: [['true'], flag],
    FAILPOINT_FILE: null,
    FAILPOINT: [['nowhere'], /^FAILPOINT: for tests only/],
  }
  for (const [name, row] of Object.entries(wrong)) {
    for (const value of row?.[0] ?? []) {
      test(`${name}=${value}`, () => {
        const read = () => readConfig({}, { [name]: value })
        expect(read).toThrow(ConfigError)
        expect(read).toThrow(row?.[1])
        expect(read).not.toThrow(/Invalid|received|NaN/)
      })
    }
  }

  test('all that are wrong at once', () => {
    expect(() => readConfig({}, { PORT: 'x', WEB_RELOAD: 'x' })).toThrow(
      'PORT: a whole number from 0 to 65535; WEB_RELOAD: 0 or 1',
    )
  })
})
