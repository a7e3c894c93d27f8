import { isIP } from 'node:net'

/** A name server, for UDP and TCP. */
export interface DnsServerAddress {
  /** A literal address. */
  readonly host: string
  readonly port: number
}

const dnsPort = 53

/** `9.9.9.9`, `127.0.0.1:5353`, `2620:fe::fe` or `[::1]:5353`; null for anything else, including names. */
export function parseDnsServerAddress(input: string): DnsServerAddress | null {
  if (isIP(input) !== 0) return { host: input, port: dnsPort }
  const [, v6, v4, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(input) ?? []
  const host = v6 ?? v4 ?? ''
  const port = Number(digits)
  const isAddress = isIP(host) === (v6 === undefined ? 4 : 6)
  return isAddress && port >= 1 && port <= 65_535 ? { host, port } : null
}
