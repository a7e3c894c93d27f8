import { isIP } from 'node:net'
import { availableParallelism } from 'node:os'
import { z } from 'zod'
import type { ExternalAccount } from '#certificates/acme/external-account.ts'
import type { CertificateFiles } from '#certificates/certificate-files.ts'
import { parseTrustedProxies } from '#http/client-address.ts'
import { parseDnsServerAddress } from '#outbound/dns/dns-server-address.ts'
import { foreignNames, foreignNamespaces } from '#site/namespace.ts'
import { privateTlds } from './base-url.ts'

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
export const requestsPerSecond = wholeNumber('a whole number of requests, 0 for no limit', {
  min: 0,
})
export const bytesPerDay = wholeNumber('a whole number of bytes, 0 for no limit', { min: 0 })
export const flag = z.enum(['0', '1'], 'expected 0 or 1').transform((value) => value === '1')

/** Names of networks, each of which may be named once or more. */
export const otherNetworks = z.string().transform((text, context) => {
  const names = new Set(text.split(',').map((name) => name.trim()))
  names.delete('')
  const known = foreignNamespaces.filter(({ name }) => names.delete(name))
  if (names.size === 0) return known
  context.addIssue(`${foreignNames.join(' or ')}, or nothing`)
  return z.NEVER
})

export const httpUrl = z.url({
  protocol: /^https?$/,
  error: 'an address that begins with https:// (or http://)',
})
export const httpsUrl = z.url({
  protocol: /^https$/,
  error: 'an address that begins with https://',
})
const expectedPublic = 'an address that begins with https:// at a name of the public DNS'

/** For an address that people open. Account servers refuse client metadata with any other. */
export const publicUrl = z.string().refine((text) => {
  const { hostname = '', protocol } = URL.parse(text) ?? {}
  const isName = z.regexes.domain.test(hostname) && !privateTlds.test(hostname)
  return protocol === 'https:' && isName
}, expectedPublic)

const nameCharsMax = 60
const frontPageCharsMax = 2000

export const instanceName = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Zl}\p{Zp}]+$/u, 'a name on one line')
  .max(nameCharsMax, `at most ${nameCharsMax} characters`)

/** As a link. */
export const contact = z.string().transform((text, context) => {
  const given = text.trim()
  if (z.email().safeParse(given).success) return `mailto:${given}`
  if (publicUrl.safeParse(given).success) return given
  context.addIssue('an e-mail address, or the https:// address of a page')
  return z.NEVER
})

/** Paragraphs, which an empty line or `\\n\\n` separates. */
export const paragraphs = z
  .string()
  .max(frontPageCharsMax, `at most ${frontPageCharsMax} characters`)
  .transform((text) =>
    text
      .replaceAll('\\n', '\n')
      .split(/\n\s*\n/)
      .map((paragraph) => paragraph.trim())
      .filter((paragraph) => paragraph !== ''),
  )

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

/** A client sends it in `Authorization`, where a blank would end it. */
export const bearerToken = z.string().regex(/^\S{16,}$/, 'at least 16 characters, without blanks')

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

/** `chain.pem:key.pem`, separated by commas. */
export const certificateFiles = z.string().transform((list, context): CertificateFiles[] => {
  const pairs = list.split(',').map((pair) => pair.trim().split(':'))
  if (list.trim() === '') return []
  const files = pairs.map(([chainFile = '', keyFile = '']) => ({ chainFile, keyFile }))
  const isWhole = ({ chainFile, keyFile }: CertificateFiles) => chainFile !== '' && keyFile !== ''
  if (pairs.every((pair) => pair.length === 2) && files.every(isWhole)) return files
  context.addIssue(
    'files of a certificate and its key, such as /etc/tls/chain.pem:/etc/tls/key.pem',
  )
  return z.NEVER
})

/** `key id:key in base64url`, as an authority shows them. */
export const externalAccount = z.string().transform((text, context): ExternalAccount => {
  const [, keyId = '', key = ''] = /^([^\s:]+):([A-Za-z0-9_-]{16,})=*$/.exec(text) ?? []
  if (keyId !== '') return { keyId, key }
  context.addIssue(
    'the id of the key and the key in base64url, such as kid-1:zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG4',
  )
  return z.NEVER
})

/** The parts of the service that one process is. */
export const roles = z.string().transform((list, context) => {
  const given = list
    .split(',')
    .map((role) => role.trim())
    .toSorted()
    .join()
  const both = { app: true, hosting: true, isEdgeAlone: false }
  if (given === 'app,edge,ingest') return both
  if (given === 'app') return { ...both, hosting: false }
  if (given === 'edge,ingest') return { ...both, app: false }
  if (given === 'edge') return { app: false, hosting: false, isEdgeAlone: true }
  context.addIssue('app,edge,ingest, or two processes with app and with edge,ingest, or edge')
  return z.NEVER
})

const edgeProcessesMax = 64

/** `auto`: as many as there are processors that this process may use. */
export const edgeProcesses = z.string().transform((text, context) => {
  if (text === 'auto') return Math.min(availableParallelism(), edgeProcessesMax)
  const count = /^\d+$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= edgeProcessesMax) return count
  context.addIssue(`auto, or a whole number from 1 to ${edgeProcessesMax}`)
  return z.NEVER
})

export const names = z.string().transform((list, context) => {
  const given = list.split(/[\s,]+/).filter((name) => name !== '')
  if (given.every((name) => /^[a-z0-9-]{1,63}$/.test(name))) return new Set(given)
  context.addIssue('names in lower case without dots, such as shop, team or blog')
  return z.NEVER
})
