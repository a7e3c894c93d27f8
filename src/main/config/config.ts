import { z } from 'zod'
import { parseFirehoseUrl } from '#atproto/firehose/follow-firehose.ts'
import { ingestFailPoints } from '#ingest/fail-points.ts'
import { accountDeletionPoints, failPoints } from '#publish/fail-points.ts'
import type { SiteLimits } from '#site/limits.ts'
import { problemOfAddresses } from './base-url.ts'
import {
  bytes,
  dnsServers,
  flag,
  httpUrl,
  type ListenAddress,
  listenAddress,
  names,
  trustedProxies,
  wholeNumber,
} from './setting-kinds.ts'

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
  DATA_DIR: z.string().default('data'),
  SECRET_KEY: z.string().min(32, 'at least 32 characters').optional(),
  DATABASE_URL: z
    .url({
      protocol: /^postgres(ql)?$/,
      error: 'postgres://user:password@host/database, the password percent-encoded',
    })
    .optional(),
  PLC_URL: httpUrl.default('https://plc.directory'),
  HANDLE_RESOLVER_URL: httpUrl.optional(),
  FIREHOSE_URL: z
    .string()
    .refine(
      (url) => parseFirehoseUrl(url) !== null,
      'a Jetstream (wss://host/subscribe), or the address of a relay or account server',
    )
    .default('wss://jetstream2.us-east.bsky.network/subscribe'),
  RELAY_URL: httpUrl.default('https://relay1.us-east.bsky.network'),
  INGEST: z.enum(['known', 'visited', 'all'], 'known, visited or all').default('known'),
  VISITED_BYTES_MAX: bytes.default(5_000_000_000),
  ALLOW_PRIVATE_HOSTS: flag.default(false),
  DNS_SERVERS: dnsServers.default([]),
  RESERVED_NAMES: names.prefault(''),
  MAX_SUBDOMAINS: wholeNumber('a whole number, 0 or more', { min: 0 }).default(3),
  MAX_FILE_BYTES: bytes.default(100 * 1024 * 1024),
  MAX_SITE_BYTES: bytes.default(300 * 1024 * 1024),
  ACCOUNT_BYTES_MAX: bytes.default(5_000_000_000),
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
  WEB_RELOAD: flag.default(false),
  FAILPOINT: z
    .enum(
      [...failPoints, ...accountDeletionPoints, ...ingestFailPoints],
      'for tests only; see fail-points.ts in src/publish and src/ingest',
    )
    .optional(),
})

/** The settings as the service uses them; `.env.example` describes each. */
export type Config = Readonly<ReturnType<typeof configOf>>

/** An invalid setting; `message` says which, and what it should be. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

type Environment = Readonly<Record<string, string | undefined>>

/** The process's settings, those in `overrides` first. Throws ConfigError. */
export function readConfig(
  overrides: Environment = {},
  environment: Environment = process.env,
): Config {
  return configOf(parse(settings, { ...environment, ...withoutUndefined(overrides) }))
}

/** For a child process: this one's environment, overridden by `settings`. */
export const childEnvironment = (settings: Readonly<Record<string, string>>): Environment => ({
  ...process.env,
  ...settings,
})

/** Limits of an upload; ignores the other settings, even invalid ones. Throws ConfigError. */
export function readUploadLimits(environment: Environment = process.env): SiteLimits {
  const limits = settings.pick({ MAX_FILE_BYTES: true, MAX_SITE_BYTES: true })
  const { MAX_FILE_BYTES, MAX_SITE_BYTES } = parse(limits, environment)
  return { fileBytesMax: MAX_FILE_BYTES, siteBytesMax: MAX_SITE_BYTES }
}

function parse<Schema extends z.ZodType>(schema: Schema, environment: Environment) {
  const given = Object.entries(environment).filter(([, value]) => value !== '')
  const parsed = schema.safeParse(Object.fromEntries(given))
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new ConfigError(problems.join('; '))
}

function configOf(values: z.infer<typeof settings>) {
  const baseUrl = new URL(values.BASE_URL ?? `http://127.0.0.1:${values.PORT}`)
  const problem = problemOfAddresses(baseUrl, values.BASE_DOMAIN)
  if (problem !== null) throw new ConfigError(problem)
  return {
    origin: baseUrl.origin,
    baseDomain: values.BASE_DOMAIN,
    host: values.HOST,
    port: values.PORT,
    trustedProxies: values.TRUSTED_PROXIES,
    /** The header field in which the trusted proxies send a visitor's country. */
    countryHeader: values.COUNTRY_HEADER ?? null,
    /** Whether visitors who reached these proxies over http are redirected to https. */
    redirectsToHttps: values.HTTPS_REDIRECT,
    /** Address at which a TLS front asks which names may have a certificate; null: none. */
    askListen: askListenOf(values.ASK_LISTEN, baseUrl),
    dataDir: values.DATA_DIR,
    /** Newest first; empty: a key is created in the data folder. */
    secrets: values.SECRET_KEY?.split(',').map((secret) => secret.trim()) ?? [],
    databaseUrl: values.DATABASE_URL,
    plcUrl: values.PLC_URL,
    handleResolverUrl: values.HANDLE_RESOLVER_URL,
    firehoseUrl: values.FIREHOSE_URL,
    relayUrl: values.RELAY_URL,
    ingest: values.INGEST,
    visitedBytesMax: values.VISITED_BYTES_MAX,
    allowPrivateHosts: values.ALLOW_PRIVATE_HOSTS,
    /** Empty: the system's. */
    dnsServers: values.DNS_SERVERS,
    /** In addition to the names that `subdomain-label.ts` reserves. */
    reservedNames: values.RESERVED_NAMES,
    subdomainsMax: values.MAX_SUBDOMAINS,
    limits: {
      fileBytesMax: values.MAX_FILE_BYTES,
      siteBytesMax: values.MAX_SITE_BYTES,
      accountBytesMax: values.ACCOUNT_BYTES_MAX,
    },
    spoolBytesMax: values.SPOOL_BYTES_MAX,
    decodedBytesMax: values.DECODED_BYTES_MAX,
    /** All stored blobs are verified again within this many days; 0: never. */
    scrubDays: values.SCRUB_DAYS,
    snapshotBytesMax: values.SNAPSHOT_MEMORY_BYTES,
    bodyBytesMax: values.BODY_MEMORY_BYTES,
    shutdownSecondsMax: values.SHUTDOWN_SECONDS_MAX,
    logLevel: values.LOG_LEVEL,
    webReload: values.WEB_RELOAD,
    failPoint: values.FAILPOINT,
  }
}

// Without https there is no TLS front that asks, and several instances may run on one machine.
function askListenOf(
  given: z.infer<typeof settings>['ASK_LISTEN'],
  { protocol }: URL,
): ListenAddress | null {
  if (given !== undefined) return given
  return protocol === 'https:' ? { host: '127.0.0.1', port: 3001 } : null
}

const withoutUndefined = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined))
