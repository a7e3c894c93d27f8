import ipaddr from 'ipaddr.js'

/** The proxies whose `X-Forwarded-For` we trust. */
export type TrustedProxies = readonly Cidr[]

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Cidr = readonly [Address, number]

/** `127.0.0.1, 10.0.0.0/8, fd00::/8`: addresses and ranges. Null when one of them is neither. */
export function parseTrustedProxies(list: string): TrustedProxies | null {
  const ranges = list.split(',').map((text) => parseRange(text.trim()))
  return ranges.includes(null) ? null : ranges.filter((range) => range !== null)
}

/** The part of Bun's server that knows the peer address; null: the connection is gone. */
interface Connections {
  requestIP(request: Request): { readonly address: string } | null
}

/** What requests may ask of the server that they came to. */
export interface RequestServer extends Connections {
  /** How long the connection may be idle; 0: for ever. */
  timeout(request: Request, seconds: number): void
  /** Whether the answer may keep a file open while it is sent. Left out: yes. */
  canOpenFile?(request: Request): boolean
}

/**
 * The length of an IPv6 prefix (RFC 6177): what one connection gets, and what anybody can rent, with 65 536 of the former.
 * Connections and visitors are counted by the former, because those of a mobile network have a prefix each.
 */
export type Ipv6PrefixBits = 64 | 48

/** By what all allowances of requests and of passwords count. */
const requestPrefixBits = 48

/** The network by which a request's client is counted and limited: its IPv4 address, or its IPv6 /48. Never throws. */
export function clientNetworkOf(
  request: Request,
  server: Connections | undefined,
  trusted: TrustedProxies,
  ipv6Bits: Ipv6PrefixBits = requestPrefixBits,
): string {
  const connection = server?.requestIP(request)?.address ?? 'unknown'
  return clientNetwork(clientAddress(connection, request.headers, trusted), ipv6Bits)
}

/**
 * The client's address: the peer's or, if that is a trusted proxy, the last address in `X-Forwarded-For` that is not
 * one. Earlier entries may be forged. Never throws.
 */
export function clientAddress(
  connection: string,
  headers: Headers,
  trusted: TrustedProxies,
): string {
  let client = parseAddress(connection)
  if (client === null) return connection
  const named = (headers.get('x-forwarded-for') ?? '').split(',')
  while (named.length > 0 && isTrusted(client, trusted)) {
    const next = parseAddress(withoutPort(named.pop()?.trim() ?? ''))
    if (next === null) break
    client = next
  }
  return client.toString()
}

export function isTrustedProxy(connection: string, trusted: TrustedProxies): boolean {
  const address = parseAddress(connection)
  return address !== null && isTrusted(address, trusted)
}

/** The network that identifies a client: its IPv4 address, or the prefix of its IPv6 address. */
export function clientNetwork(address: string, ipv6Bits: Ipv6PrefixBits): string {
  const parsed = parseAddress(address)
  if (!(parsed instanceof ipaddr.IPv6)) return address
  return `${parsed.parts
    .slice(0, ipv6Bits / 16)
    .map((part) => part.toString(16))
    .join(':')}::/${ipv6Bits}`
}

function parseRange(text: string): Cidr | null {
  const [addressText = '', bitsText, ...more] = text.split('/')
  const address = strictAddress(addressText)
  if (address === null || more.length > 0) return null
  const bitsMax = address.kind() === 'ipv4' ? 32 : 128
  if (bitsText === undefined) return [address, bitsMax]
  return /^\d{1,3}$/.test(bitsText) && Number(bitsText) <= bitsMax
    ? [address, Number(bitsText)]
    : null
}

const isTrusted = (address: Address, trusted: TrustedProxies): boolean =>
  trusted.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits))

/** An IPv4-mapped IPv6 address, as a dual-stack listener reports it, becomes the IPv4 address. */
function parseAddress(text: string): Address | null {
  const address = strictAddress(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address
}

// Only the usual notations: `ipaddr.parse` also accepts 0x7f.1 and 2130706433.
function strictAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([^:]*):\d+$/, '$1')
