import { isIP } from 'node:net'
import { z } from 'zod'
import { parseTrustedProxies } from '#http/client-address.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'

// Kinds of settings, each with a plain sentence of what was expected.

/** `expected` describes the number, with its bounds. */
export const wholeNumber = (
  expected: string,
  { min, max = Number.MAX_SAFE_INTEGER }: { readonly min: number; readonly max?: number },
) =>
  z.coerce
    .number(expected)
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, expected)

export const bytes = wholeNumber('a whole number of bytes, such as 104857600', { min: 1 })
export const flag = z.enum(['0', '1'], '0 or 1').transform((value) => value === '1')
export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'an address that begins with https:// (or http://)',
})
export const dnsServers = z.string().transform((list, context) => {
  const servers = list.split(',').map((text) => parseDnsServerAddress(text.trim()))
  if (!servers.includes(null)) return servers.filter((server) => server !== null)
  context.addIssue('addresses such as 9.9.9.9, 127.0.0.1:5353 or [::1]:5353')
  return z.NEVER
})

export const trustedProxies = z.string().transform((list, context) => {
  const proxies = list.trim() === 'none' ? [] : parseTrustedProxies(list)
  if (proxies !== null) return proxies
  context.addIssue('addresses and ranges such as 127.0.0.1, 10.0.0.0/8 or fd00::/8, or none')
  return z.NEVER
})

export interface ListenAddress {
  /** A literal address, never a name. */
  readonly host: string
  readonly port: number
}

/** `127.0.0.1:3001` or `[::1]:3001`; null for `off`. */
export const listenAddress = z.string().transform((text, context): ListenAddress | null => {
  if (text === 'off') return null
  const [, v6, v4, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const host = v6 ?? v4 ?? ''
  const port = Number(digits)
  const isAddress = isIP(host) === (v6 === undefined ? 4 : 6)
  if (isAddress && port >= 1 && port <= 65_535) return { host, port }
  context.addIssue('an address and a port, such as 127.0.0.1:3001 or [::1]:3001, or off')
  return z.NEVER
})

export const names = z.string().transform((list, context) => {
  const given = list.split(/[\s,]+/).filter((name) => name !== '')
  if (given.every((name) => /^[a-z0-9-]{1,63}$/.test(name))) return new Set(given)
  context.addIssue('names in lower case without dots, such as shop, team or blog')
  return z.NEVER
})
