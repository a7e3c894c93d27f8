import type { z } from 'zod'
import { ConfigError } from './parse-settings.ts'
import type { ListenAddress } from './setting-kinds.ts'
import type { settings } from './settings.ts'

/** Where TLS ends, as the settings say it. `assumed`: TLS is not among them, and `auto` is what they are for. */
export type TlsMode = 'off' | 'files' | 'auto' | 'assumed'

/** Without TLS: `assumed` where a contact is set for a public service in one process that has nothing of a front. */
export function tlsModeOf(values: z.infer<typeof settings>, { protocol }: URL): TlsMode {
  const { ASK_LISTEN, CONTACT, COUNTRY_HEADER, EDGE_PROCESSES, HTTPS_REDIRECT, ROLES } = values
  if (values.TLS !== undefined) return values.TLS
  const hasFront = ASK_LISTEN !== undefined || COUNTRY_HEADER !== undefined || HTTPS_REDIRECT
  const isWhole = ROLES.app && ROLES.hosting && EDGE_PROCESSES === undefined
  const isAssumed = protocol === 'https:' && CONTACT !== undefined && isWhole && !hasFront
  return isAssumed ? 'assumed' : 'off'
}

const askedByFront: ListenAddress = { host: '127.0.0.1', port: 3001 }

/** Where a TLS front asks; null: nowhere. Without https there is none that asks, and several instances may run on one machine. */
export function askListenOf(
  { ASK_LISTEN: given }: z.infer<typeof settings>,
  { protocol }: URL,
  mode: TlsMode,
): ListenAddress | null {
  if (given !== undefined) return given
  return protocol === 'https:' && mode === 'off' ? askedByFront : null
}

/** The settings where `assumed` turned out to be `off`. */
export const behindFront = { tlsMode: 'off', tls: null, askListen: askedByFront } as const

/** How TLS ends in this process; null: a front ends it. Throws ConfigError. */
export function tlsOf(values: z.infer<typeof settings>, { protocol }: URL, mode: TlsMode) {
  const { HSTS_SECONDS, HTTP3, HTTP_LISTEN, ROLES, TLS_FILES, TLS_LISTEN } = values
  const isOrdering = mode === 'auto' || mode === 'assumed'
  const refuse = (setting: string, problem: string): never => {
    throw new ConfigError(`${setting}: ${problem}`)
  }
  if (mode === 'off') {
    return HTTP3 === 'on' ? refuse('HTTP3', 'off where TLS is off: a front speaks HTTP/3') : null
  }
  if (!ROLES.app || !ROLES.hosting) return refuse('TLS', 'off where ROLES makes two processes')
  if (protocol !== 'https:') return refuse('TLS', 'off where BASE_URL is not https')
  if (mode === 'files' && TLS_FILES.length === 0) {
    return refuse('TLS_FILES', 'with TLS=files, at least one certificate')
  }
  if (isOrdering && HTTP_LISTEN === null) {
    return refuse(
      'HTTP_LISTEN',
      'not off with TLS=auto: the authority looks there for the answers to its challenges',
    )
  }
  const listen = TLS_LISTEN ?? refuse('TLS_LISTEN', 'an address and a port, such as [::]:443')
  return {
    listen,
    httpListen: HTTP_LISTEN,
    /** Whether HTTP/3 is answered at the UDP port of the same number. */
    http3: HTTP3 === 'on',
    files: TLS_FILES,
    hstsSeconds: HSTS_SECONDS,
    /** The authorities that certificates are ordered from; null: none is. */
    ordering: isOrdering ? orderingOf(values) : null,
    /** Where dns-01 is answered, for a wildcard of the base domain; null: nowhere, and none is ordered. */
    dnsListen: isOrdering ? values.ACME_DNS_LISTEN : null,
  }
}

function orderingOf(values: z.infer<typeof settings>) {
  const { ACME_DIRECTORY, ACME_EAB, ACME_FALLBACK_DIRECTORY, ACME_FALLBACK_EAB } = values
  const { ACME_CA: caFile = null, ACME_PROFILE: profile = null, CONTACT } = values
  const contact = CONTACT?.startsWith('mailto:') ? [CONTACT] : []
  const authorities = [
    { directory: ACME_DIRECTORY, externalAccount: ACME_EAB ?? null, contact, profile },
  ]
  if (ACME_FALLBACK_DIRECTORY !== undefined) {
    const externalAccount = ACME_FALLBACK_EAB ?? null
    authorities.push({ directory: ACME_FALLBACK_DIRECTORY, externalAccount, contact, profile })
  }
  /** `caFile`: more roots to trust, in PEM; null: none. */
  return { authorities, caFile }
}
