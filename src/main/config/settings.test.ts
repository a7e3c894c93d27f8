import { describe, expect, test } from 'bun:test'
import { ConfigError, readConfig } from './config.ts'
import type { settings } from './settings.ts'

describe('what a setting should be is told in plain words', () => {
  const bytes = /^[A-Z_]+: a whole number of bytes, such as 104857600$/
  const address = /^[A-Z_]+: an address that begins with https:\/\/ \(or http:\/\/\)$/
  const flag = /^[A-Z_]+: expected 0 or 1$/
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
      'PORT: a whole number from 0 to 65535; WEB_RELOAD: expected 0 or 1',
    )
  })
})
