import { z } from 'zod'
import { parseFirehoseUrl } from '#atproto/firehose/follow-firehose.ts'
import { certificatePoints } from '#certificates/fail-points.ts'
import { forgetPoints, ingestFailPoints } from '#ingest/fail-points.ts'
import { accountDeletionPoints, deployPoints, failPoints } from '#publish/fail-points.ts'
import { accountSitesMax } from '#site/limits.ts'
import {
  bearerToken,
  bytes,
  bytesPerDay,
  certificateFiles,
  contact,
  dnsServers,
  edgeProcesses,
  externalAccount,
  flag,
  httpsUrl,
  httpUrl,
  instanceName,
  listenAddress,
  names,
  otherNetworks,
  paragraphs,
  publicUrl,
  requestsPerSecond,
  roles,
  trustedProxies,
  wholeNumber,
} from './setting-kinds.ts'
import { limitSettings, networkSettings } from './site-owner-config.ts'

/** A moment at which a test kills the process. */
export const failPoint = z.enum(
  [
    ...failPoints,
    ...deployPoints,
    ...accountDeletionPoints,
    ...ingestFailPoints,
    ...forgetPoints,
    ...certificatePoints,
  ],
  'for tests only; see fail-points.ts in src/publish, src/ingest and src/certificates',
)

/** Every setting, by the name of its environment variable. `.env.example` describes each. */
export const settings = z.object({
  BASE_URL: httpUrl.optional(),
  BASE_DOMAIN: z
    .string()
    .regex(
      /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
      'a host name in lower case, such as sites.example.com',
    )
    .default('localhost'),
  HOST: z.string().default('127.0.0.1'),
  PORT: wholeNumber('a whole number from 0 to 65535', { min: 0, max: 65_535 }).default(3000),
  TRUSTED_PROXIES: trustedProxies.prefault('127.0.0.1,::1'),
  COUNTRY_HEADER: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'the name of a header field, such as CF-IPCountry')
    .optional(),
  HTTPS_REDIRECT: flag.default(false),
  ASK_LISTEN: listenAddress.optional(),
  TLS: z.enum(['off', 'files', 'auto'], 'off, files or auto').optional(),
  TLS_LISTEN: listenAddress.prefault('[::]:443'),
  HTTP_LISTEN: listenAddress.prefault('[::]:80'),
  HTTP3: z.enum(['off', 'on'], 'off or on').default('off'),
  TLS_FILES: certificateFiles.prefault(''),
  ACME_DIRECTORY: httpsUrl.default('https://acme-v02.api.letsencrypt.org/directory'),
  ACME_CA: z.string().optional(),
  ACME_DNS_LISTEN: listenAddress.prefault('off'),
  ACME_EAB: externalAccount.optional(),
  ACME_PROFILE: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'the name of a profile, such as tlsserver')
    .optional(),
  ACME_FALLBACK_DIRECTORY: httpsUrl.optional(),
  ACME_FALLBACK_EAB: externalAccount.optional(),
  HSTS_SECONDS: wholeNumber('a whole number of seconds, 0 for none', { min: 0 }).default(0),
  INSTANCE_NAME: instanceName.default('Sitehost'),
  CONTACT: contact.optional(),
  TERMS_URL: publicUrl.optional(),
  PRIVACY_URL: publicUrl.optional(),
  SOURCE_URL: publicUrl.optional(),
  STATUS_URL: publicUrl.optional(),
  LOGO_FILE: z.string().optional(),
  FRONT_PAGE_TEXT: paragraphs.prefault(''),
  ROLES: roles.prefault('app,edge,ingest'),
  HOSTING_URL: httpUrl.optional(),
  INTERNAL_LISTEN: listenAddress.optional(),
  INTERNAL_TOKEN: bearerToken.optional(),
  INSTANCE_GONE_SECONDS: wholeNumber('a whole number of seconds, 10 or more', { min: 10 }).default(
    600,
  ),
  EDGE_PROCESSES: edgeProcesses.optional(),
  CDN_PURGE_URL: httpUrl.optional(),
  CDN_PURGE_KIND: z.enum(['hosts', 'keys', 'signed'], 'hosts, keys or signed').default('hosts'),
  CDN_PURGE_TOKEN: bearerToken.optional(),
  CDN_PAGE_SECONDS: wholeNumber('a whole number of seconds, 0 for not at all', {
    min: 0,
    max: 31_536_000,
  }).default(0),
  METRICS_LISTEN: listenAddress.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  METRICS_TOKEN: bearerToken.optional(),
  DATA_DIR: z.string().default('data'),
  SECRET_KEY: z.string().min(32, 'at least 32 characters').optional(),
  BLOBS_URL: z.string().optional(),
  AWS_ACCESS_KEY_ID: z.string().optional(),
  AWS_SECRET_ACCESS_KEY: z.string().optional(),
  AWS_SESSION_TOKEN: z.string().optional(),
  AWS_REGION: z.string().optional(),
  BLOB_CACHE_BYTES: bytes.default(10 * 1024 * 1024 * 1024),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'postgres://user:password@host/database, the password percent-encoded',
    })
    .optional(),
  PLC_URL: networkSettings.PLC_URL,
  HANDLE_RESOLVER_URL: networkSettings.HANDLE_RESOLVER_URL,
  FIREHOSE_URL: z
    .string()
    .refine(
      (url) => parseFirehoseUrl(url) !== null,
      'a Jetstream (wss://host/subscribe), or the address of a relay or account server',
    )
    .default('wss://jetstream2.us-east.bsky.network/subscribe'),
  RELAY_URL: httpUrl.default('https://relay1.us-east.bsky.network'),
  INGEST: z.enum(['known', 'visited', 'all'], 'known, visited or all').default('known'),
  ALSO_SERVE: otherNetworks.default([]),
  VISITED_BYTES_MAX: bytes.default(5_000_000_000),
  ALLOW_PRIVATE_HOSTS: networkSettings.ALLOW_PRIVATE_HOSTS,
  DNS_SERVERS: dnsServers.default([]),
  RESERVED_NAMES: names.prefault(''),
  SIGN_IN: z.enum(['open', 'listed', 'invited'], 'open, listed or invited').default('open'),
  MAX_SUBDOMAINS: wholeNumber('a whole number, 0 or more', { min: 0 }).default(3),
  ...limitSettings,
  ACCOUNT_BYTES_MAX: bytes.default(5_000_000_000),
  ACCOUNT_SITES_MAX: wholeNumber(`a whole number from 0 to ${accountSitesMax}`, {
    min: 0,
    max: accountSitesMax,
  }).default(accountSitesMax),
  UPLOADS_PER_DAY_MAX: wholeNumber('a whole number, 0 or more', { min: 0 }).default(1000),
  SITE_REQUESTS_PER_SECOND_MAX: requestsPerSecond.default(25_000),
  SITE_BYTES_PER_DAY_MAX: bytesPerDay.default(1_000_000_000_000),
  ACCOUNT_REQUESTS_PER_SECOND_MAX: requestsPerSecond.default(40_000),
  ACCOUNT_BYTES_PER_DAY_MAX: bytesPerDay.default(2_000_000_000_000),
  SPOOL_BYTES_MAX: bytes.default(8 * 1024 * 1024 * 1024),
  DECODED_BYTES_MAX: bytes.default(2 * 1024 * 1024 * 1024),
  SCRUB_DAYS: wholeNumber('a whole number of days, 0 for never', { min: 0, max: 3650 }).default(30),
  SNAPSHOT_MEMORY_BYTES: bytes.default(128 * 1024 * 1024),
  BODY_MEMORY_BYTES: bytes.default(256 * 1024 * 1024),
  SHUTDOWN_SECONDS_MAX: wholeNumber('a whole number of seconds, from 0 to 3600', {
    min: 0,
    max: 3600,
  }).default(30),
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warning', 'error'], 'debug, info, warning or error')
    .default('info'),
  LOG_FORMAT: z.enum(['text', 'json'], 'text or json').optional(),
  NO_COLOR: z.string().optional(),
  LOG_ROWS_MAX: wholeNumber('a whole number, 1 or more', { min: 1 }).default(200_000),
  WEB_RELOAD: flag.default(false),
  FAILPOINT_FILE: z.string().optional(),
  FAILPOINT: failPoint.optional(),
})
