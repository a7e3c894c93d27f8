import type { z } from 'zod'
import { parseS3Location, type S3Location } from '#blobs/s3-location.ts'
import { problemOfAddresses } from './base-url.ts'
import { internalOf } from './internal-config.ts'
import { ConfigError, type Environment, parseSettings, UnusableError } from './parse-settings.ts'
import { settings } from './settings.ts'
import { askListenOf, tlsModeOf, tlsOf } from './tls-config.ts'

export { ConfigError, UnusableError }

/** The settings as the service uses them; `.env.example` describes each. */
export type Config = Readonly<ReturnType<typeof configOf>>

/** The process's settings, those in `overrides` first. Throws ConfigError. */
export function readConfig(
  overrides: Environment = {},
  environment: Environment = process.env,
): Config {
  return configOf(parseSettings(settings, { ...environment, ...withoutUndefined(overrides) }))
}

/** For a child process: this one's environment, overridden by `settings`. */
export const childEnvironment = (settings: Readonly<Record<string, string>>): Environment => ({
  ...process.env,
  ...settings,
})

function configOf(values: z.infer<typeof settings>) {
  const baseUrl = new URL(values.BASE_URL ?? `http://127.0.0.1:${values.PORT}`)
  const problem = problemOfAddresses(baseUrl, values.BASE_DOMAIN)
  if (problem !== null) throw new ConfigError(problem)
  const tlsMode = tlsModeOf(values, baseUrl)
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
    askListen: values.ROLES.hosting ? askListenOf(values, baseUrl, tlsMode) : null,
    tlsMode,
    /** How TLS ends in this process; null: in a front, or nowhere. */
    tls: tlsOf(values, baseUrl, tlsMode),
    /** Which parts of the service this process is, and how it and the other processes find each other. */
    roles: values.ROLES,
    ...internalOf(values),
    /** Of several, one that was not seen for so long is gone. */
    instanceGoneMs: values.INSTANCE_GONE_SECONDS * 1000,
    edgeProcesses: edgeProcessesOf(values),
    /** As the instance presents itself; the logo is read when the service starts. */
    hosting: {
      name: values.INSTANCE_NAME,
      origin: baseUrl.origin,
      contact: values.CONTACT ?? null,
      termsUrl: values.TERMS_URL ?? null,
      privacyUrl: values.PRIVACY_URL ?? null,
    },
    frontPageText: values.FRONT_PAGE_TEXT,
    sourceUrl: values.SOURCE_URL ?? null,
    statusUrl: values.STATUS_URL ?? null,
    logoFile: values.LOGO_FILE ?? null,
    /** Where purges for a CDN are sent; null: nowhere. */
    cdnPurge: cdnPurgeOf(values),
    /** How long a CDN may keep pages that it could also revalidate; 0: not at all. */
    cdnPageSeconds: values.CDN_PAGE_SECONDS,
    /** Address at which Prometheus scrapes without a token; null: none. */
    metricsListen: values.METRICS_LISTEN ?? null,
    /** With it, Prometheus scrapes at the application's address; null: not there. */
    metricsToken: values.METRICS_TOKEN ?? null,
    /** The OpenTelemetry collector that gets traces; null: none. */
    otlpEndpoint: values.OTEL_EXPORTER_OTLP_ENDPOINT ?? null,
    dataDir: values.DATA_DIR,
    /** Newest first; empty: a key is created in the data folder. */
    secrets: values.SECRET_KEY?.split(',').map((secret) => secret.trim()) ?? [],
    databaseUrl: values.DATABASE_URL,
    blobStore: blobStoreOf(values),
    plcUrl: values.PLC_URL,
    handleResolverUrl: values.HANDLE_RESOLVER_URL,
    firehoseUrl: values.FIREHOSE_URL,
    relayUrl: values.RELAY_URL,
    ingest: values.INGEST,
    /** Other networks whose sites are served, too. */
    alsoServe: values.ALSO_SERVE,
    visitedBytesMax: values.VISITED_BYTES_MAX,
    allowPrivateHosts: values.ALLOW_PRIVATE_HOSTS,
    /** Empty: the system's. */
    dnsServers: values.DNS_SERVERS,
    /** In addition to the names that `subdomain-label.ts` reserves. */
    reservedNames: values.RESERVED_NAMES,
    /** Who may sign in. */
    signIn: values.SIGN_IN,
    subdomainsMax: values.MAX_SUBDOMAINS,
    limits: {
      fileBytesMax: values.MAX_FILE_BYTES,
      siteBytesMax: values.MAX_SITE_BYTES,
      siteFilesMax: values.MAX_SITE_FILES,
      accountBytesMax: values.ACCOUNT_BYTES_MAX,
      accountSitesMax: values.ACCOUNT_SITES_MAX,
      uploadsPerDayMax: values.UPLOADS_PER_DAY_MAX,
    },
    /** What visitors of one site, and of all sites of an account, may take; null: no limit. */
    shares: { site: shareOf('SITE', values), account: shareOf('ACCOUNT', values) },
    spoolBytesMax: values.SPOOL_BYTES_MAX,
    decodedBytesMax: values.DECODED_BYTES_MAX,
    /** All stored blobs are verified again within this many days; 0: never. */
    scrubDays: values.SCRUB_DAYS,
    snapshotBytesMax: values.SNAPSHOT_MEMORY_BYTES,
    bodyBytesMax: values.BODY_MEMORY_BYTES,
    shutdownSecondsMax: values.SHUTDOWN_SECONDS_MAX,
    logLevel: values.LOG_LEVEL,
    /** How many entries of the log the database keeps. */
    logRowsMax: values.LOG_ROWS_MAX,
    /** Null: text on a terminal, else JSON. */
    logFormat: values.LOG_FORMAT ?? null,
    /** On a terminal (https://no-color.org). */
    logColours: values.NO_COLOR === undefined,
    webReload: values.WEB_RELOAD,
    failPoint: values.FAILPOINT,
    failPointFile: values.FAILPOINT_FILE ?? null,
  }
}

/** Null: there is no CDN to purge. Throws ConfigError. */
function cdnPurgeOf(values: z.infer<typeof settings>) {
  const { CDN_PAGE_SECONDS, CDN_PURGE_KIND: kind, CDN_PURGE_TOKEN, CDN_PURGE_URL: url } = values
  if (url === undefined) {
    if (CDN_PAGE_SECONDS <= unpurgedSecondsMax) return null
    const why = `over ${unpurgedSecondsMax} only with CDN_PURGE_URL, where a CDN hears that a page has changed`
    throw new ConfigError(`CDN_PAGE_SECONDS: ${why}`)
  }
  const token = CDN_PURGE_TOKEN ?? null
  if (kind === 'signed' && token === null) {
    throw new ConfigError('CDN_PURGE_TOKEN: with CDN_PURGE_KIND=signed, the key of the signature')
  }
  return { kind, url, token }
}

/** So late a change may be seen. */
const unpurgedSecondsMax = 10

const shareOf = (whose: 'SITE' | 'ACCOUNT', values: z.infer<typeof settings>) => ({
  requestsPerSecondMax: values[`${whose}_REQUESTS_PER_SECOND_MAX`] || null,
  bytesPerDayMax: values[`${whose}_BYTES_PER_DAY_MAX`] || null,
})

/** Where blobs are in place of the data folder, and how much of them a disk here keeps as copies; null: in the data folder. */
export interface BlobStoreSettings {
  readonly location: S3Location
  readonly cacheBytesMax: number
}

function blobStoreOf({
  BLOBS_URL: url,
  ...values
}: z.infer<typeof settings>): BlobStoreSettings | null {
  if (url === undefined) return null
  const location = s3LocationOf(url, values)
  const { BLOB_CACHE_BYTES: cacheBytesMax, MAX_FILE_BYTES: fileBytesMax } = values
  if (cacheBytesMax < fileBytesMax) {
    throw new ConfigError('BLOB_CACHE_BYTES: at least MAX_FILE_BYTES, so that any file fits')
  }
  return { location, cacheBytesMax }
}

/** Of an address like that of BLOBS_URL, with the credentials of the environment. Throws ConfigError. */
export const readS3Location = (url: string, environment: Environment = process.env): S3Location =>
  s3LocationOf(url, parseSettings(settings, environment), url)

/** `setting`: what the error names. Throws ConfigError. */
function s3LocationOf(
  url: string,
  values: Partial<z.infer<typeof settings>>,
  setting = 'BLOBS_URL',
): S3Location {
  const { location, problem } = parseS3Location({
    url,
    region: values.AWS_REGION,
    accessKeyId: values.AWS_ACCESS_KEY_ID,
    secretAccessKey: values.AWS_SECRET_ACCESS_KEY,
    sessionToken: values.AWS_SESSION_TOKEN,
  })
  if (problem !== undefined) throw new ConfigError(`${setting}: ${problem}`)
  return location
}

/** How many processes answer visitors, next to the one that does everything else; null: one process does both. */
function edgeProcessesOf({ EDGE_PROCESSES, ROLES, TLS }: z.infer<typeof settings>): number | null {
  if (EDGE_PROCESSES === undefined) return null
  if (ROLES.isEdgeAlone) {
    throw new ConfigError(
      'EDGE_PROCESSES: not with ROLES=edge, which is one process without a core',
    )
  }
  if (!ROLES.hosting)
    throw new ConfigError('EDGE_PROCESSES: not with ROLES=app, which answers no visitors')
  if (TLS !== undefined && TLS !== 'off') {
    throw new ConfigError(
      'EDGE_PROCESSES: only with TLS=off, behind a TLS front: one process ends TLS',
    )
  }
  return EDGE_PROCESSES
}

const withoutUndefined = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined))
