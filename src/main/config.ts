import { z } from 'zod'
import { parseFirehoseUrl } from '#atproto/firehose-source.ts'
import { type DnsServerAddress, parseDnsServerAddress } from '#domains/dns-server-address.ts'
import { type FailPoint, failPoints } from '#publish/fail-points.ts'

const loopback = /^(?:127\.0\.0\.1|\[::1\]|localhost)$/

const bytes = z.coerce.number().int().positive()
const flag = z.enum(['0', '1']).transform((value) => value === '1')
const httpUrl = z.url({ protocol: /^https?$/ })
const dnsServers = z.string().transform((list, context) => {
  const servers = list.split(',').map((text) => parseDnsServerAddress(text.trim()))
  if (!servers.includes(null)) return servers.filter((server) => server !== null)
  context.addIssue('addresses such as 9.9.9.9, 127.0.0.1:5353 or [::1]:5353')
  return z.NEVER
})

/** Every setting, by the name of its environment variable. `.env.example` describes each. */
export const settings = z.object({
  BASE_URL: httpUrl.optional(),
  BASE_DOMAIN: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a host name in lower case')
    .default('localhost'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  DATA_DIR: z.string().default('data'),
  SECRET_KEY: z.string().min(32, 'at least 32 characters').optional(),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
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
  INGEST: z.enum(['known', 'all']).default('known'),
  ALLOW_PRIVATE_HOSTS: flag.default(false),
  DNS_SERVERS: dnsServers.default([]),
  MAX_SUBDOMAINS: z.coerce.number().int().min(0).default(3),
  MAX_FILE_BYTES: bytes.default(100 * 1024 * 1024),
  MAX_SITE_BYTES: bytes.default(300 * 1024 * 1024),
  SPOOL_BYTES_MAX: bytes.default(8 * 1024 * 1024 * 1024),
  DECODED_BYTES_MAX: bytes.default(2 * 1024 * 1024 * 1024),
  SNAPSHOT_MEMORY_BYTES: bytes.default(128 * 1024 * 1024),
  BODY_MEMORY_BYTES: bytes.default(256 * 1024 * 1024),
  LOG_LEVEL: z.enum(['debug', 'info', 'warning', 'error']).default('info'),
  WEB_RELOAD: flag.default(false),
  FAILPOINT: z.enum(failPoints).optional(),
})

export interface Config {
  /** Origin of the application, such as `https://sitehost.example`. */
  readonly origin: string
  readonly baseDomain: string
  readonly host: string
  readonly port: number
  readonly dataDir: string
  /** Newest first; empty: a key is made and kept in the data folder. */
  readonly secrets: readonly string[]
  readonly databaseUrl: string | undefined
  readonly plcUrl: string
  readonly handleResolverUrl: string | undefined
  readonly firehoseUrl: string
  readonly relayUrl: string
  /** Whose sites are brought here: of accounts that are known, or of everybody. */
  readonly ingest: z.infer<typeof settings>['INGEST']
  readonly allowPrivateHosts: boolean
  /** Empty: those of the machine. */
  readonly dnsServers: readonly DnsServerAddress[]
  readonly subdomainsMax: number
  readonly fileBytesMax: number
  readonly siteBytesMax: number
  readonly spoolBytesMax: number
  readonly decodedBytesMax: number
  readonly snapshotBytesMax: number
  readonly bodyBytesMax: number
  readonly logLevel: z.infer<typeof settings>['LOG_LEVEL']
  readonly webReload: boolean
  readonly failPoint: FailPoint | undefined
}

/** A setting that cannot be used; `message` says which, and what it should be. */
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

/** What an upload may have; whatever the other settings are. Throws ConfigError. */
export function readUploadLimits(
  environment: Environment = process.env,
): Pick<Config, 'fileBytesMax' | 'siteBytesMax'> {
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

function configOf(values: z.infer<typeof settings>): Config {
  const baseUrl = new URL(values.BASE_URL ?? `http://127.0.0.1:${values.PORT}`)
  if (baseUrl.protocol !== 'http:' || !loopback.test(baseUrl.hostname)) {
    // Account servers sign people in to a loopback address without registration; any other address
    // needs a client that authenticates itself with keys, which this version does not have.
    throw new ConfigError('BASE_URL: only http on a loopback address for now')
  }
  if (baseUrl.hostname === 'localhost') {
    // RFC 8252 §7.3: account servers send a sign-in back to loopback addresses, not to the name.
    throw new ConfigError('BASE_URL: use 127.0.0.1 in place of localhost')
  }
  if (baseUrl.hostname === values.BASE_DOMAIN || baseUrl.hostname.startsWith('s--')) {
    throw new ConfigError('BASE_DOMAIN: the application and the sites must not share a host')
  }
  return {
    origin: baseUrl.origin,
    baseDomain: values.BASE_DOMAIN,
    host: values.HOST,
    port: values.PORT,
    dataDir: values.DATA_DIR,
    secrets: values.SECRET_KEY?.split(',').map((secret) => secret.trim()) ?? [],
    databaseUrl: values.DATABASE_URL,
    plcUrl: values.PLC_URL,
    handleResolverUrl: values.HANDLE_RESOLVER_URL,
    firehoseUrl: values.FIREHOSE_URL,
    relayUrl: values.RELAY_URL,
    ingest: values.INGEST,
    allowPrivateHosts: values.ALLOW_PRIVATE_HOSTS,
    dnsServers: values.DNS_SERVERS,
    subdomainsMax: values.MAX_SUBDOMAINS,
    fileBytesMax: values.MAX_FILE_BYTES,
    siteBytesMax: values.MAX_SITE_BYTES,
    spoolBytesMax: values.SPOOL_BYTES_MAX,
    decodedBytesMax: values.DECODED_BYTES_MAX,
    snapshotBytesMax: values.SNAPSHOT_MEMORY_BYTES,
    bodyBytesMax: values.BODY_MEMORY_BYTES,
    logLevel: values.LOG_LEVEL,
    webReload: values.WEB_RELOAD,
    failPoint: values.FAILPOINT,
  }
}

const withoutUndefined = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined))
