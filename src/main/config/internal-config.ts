import type { z } from 'zod'
import { ConfigError } from './parse-settings.ts'
import type { ListenAddress } from './setting-kinds.ts'
import type { settings } from './settings.ts'

type Values = z.infer<typeof settings>

/** How this process and others of the service find each other. */
interface InternalConfig {
  /** Whether other instances may use the same database. */
  readonly isOneOfSeveral: boolean
  /** Where the hosting part is; null: here. Its `url` is null where any instance with that part will do. */
  readonly hostingAt: { readonly url: string | null; readonly token: string } | null
  /** Where this process answers the others; null: nowhere. */
  readonly internal: { readonly listen: ListenAddress; readonly token: string } | null
}

/** Throws ConfigError. */
export function internalOf(values: Values): InternalConfig {
  const { BLOBS_URL, DATABASE_URL, INTERNAL_LISTEN: listen = null, ROLES } = values
  if (ROLES.isEdgeAlone) return internalOfEdge(values)
  if (BLOBS_URL !== undefined && DATABASE_URL !== undefined && listen !== null) {
    return internalOfSeveral(values, listen)
  }
  const { app, hosting } = ROLES
  const { BASE_URL, HOSTING_URL, INTERNAL_TOKEN: token } = values
  if (app && hosting) {
    const unused = 'only for ROLES=app and ROLES=edge,ingest, which are two processes'
    if (HOSTING_URL !== undefined) refuse('HOSTING_URL', unused)
    if (listen !== null) {
      refuse(
        'INTERNAL_LISTEN',
        `${unused}, or with DATABASE_URL and BLOBS_URL for several instances`,
      )
    }
    return { isOneOfSeveral: false, hostingAt: null, internal: null }
  }
  if (token === undefined) return refuse('INTERNAL_TOKEN', 'the same token for both processes')
  if (app) {
    return HOSTING_URL === undefined
      ? refuse('HOSTING_URL', 'with ROLES=app, where the other process has its INTERNAL_LISTEN')
      : { isOneOfSeveral: false, hostingAt: { url: HOSTING_URL, token }, internal: null }
  }
  if (BASE_URL === undefined) {
    return refuse('BASE_URL', 'with ROLES=edge,ingest, the address of the application')
  }
  return listen === null
    ? refuse('INTERNAL_LISTEN', 'with ROLES=edge,ingest, an address such as 127.0.0.1:3002')
    : { isOneOfSeveral: false, hostingAt: null, internal: { listen, token } }
}

function internalOfSeveral(values: Values, listen: ListenAddress): InternalConfig {
  const { BASE_URL, HOSTING_URL, INTERNAL_TOKEN: token, ROLES, SECRET_KEY } = values
  if (isWildcard(listen.host)) {
    refuse('INTERNAL_LISTEN', 'an address of this machine at which the other instances reach it')
  }
  if (token === undefined) return refuse('INTERNAL_TOKEN', 'the same token for all instances')
  if (BASE_URL === undefined) return refuse('BASE_URL', 'the same address for all instances')
  if (ROLES.app && SECRET_KEY === undefined) {
    return refuse('SECRET_KEY', 'the same secret for all instances')
  }
  if (ROLES.hosting && HOSTING_URL !== undefined) {
    return refuse('HOSTING_URL', 'only with ROLES=app')
  }
  return {
    isOneOfSeveral: true,
    hostingAt: ROLES.hosting ? null : { url: HOSTING_URL ?? null, token },
    internal: { listen, token },
  }
}

/** An edge of its own reads what instances share, and nobody asks it anything. */
function internalOfEdge(values: Values): InternalConfig {
  const { BASE_URL, BLOBS_URL, DATABASE_URL, HOSTING_URL, INTERNAL_TOKEN: token } = values
  if (DATABASE_URL === undefined) {
    return refuse('DATABASE_URL', 'with ROLES=edge, the PostgreSQL of the instances')
  }
  if (BLOBS_URL === undefined) {
    return refuse('BLOBS_URL', 'with ROLES=edge, the bucket of the instances')
  }
  if (token === undefined) return refuse('INTERNAL_TOKEN', 'the same token as the instances have')
  if (BASE_URL === undefined) {
    return refuse('BASE_URL', 'with ROLES=edge, the address of the application')
  }
  for (const setting of ['INTERNAL_LISTEN', 'ASK_LISTEN', 'METRICS_LISTEN'] as const) {
    if ((values[setting] ?? null) !== null) refuse(setting, 'not with ROLES=edge')
  }
  return { isOneOfSeveral: false, hostingAt: { url: HOSTING_URL ?? null, token }, internal: null }
}

const isWildcard = (host: string): boolean => /^[0:.]+$/.test(host)

function refuse(setting: string, problem: string): never {
  throw new ConfigError(`${setting}: ${problem}`)
}
