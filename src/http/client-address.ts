import ipaddr from 'ipaddr.js'

/** The fronts whose word about a client's address counts. */
export type TrustedProxies = readonly Cidr[]

type Address = ipaddr.IPv4 | ipaddr.IPv6
type Cidr = readonly [Address, number]

/** `127.0.0.1, 10.0.0.0/8, fd00::/8`: addresses and ranges. Null when one of them is neither. */
export function parseTrustedProxies(list: string): TrustedProxies | null {
  const ranges = list.split(',').map((text) => parseRange(text.trim()))
  return ranges.includes(null) ? null : ranges.filter((range) => range !== null)
}

/** As Bun's servers know who connected; null when that is gone. */
interface Connections {
  requestIP(request: Request): { readonly address: string } | null
}

/** What the client of a request is counted as, wherever clients are counted. Never throws. */
export function clientNetworkOf(
  request: Request,
  server: Connections | undefined,
  trusted: TrustedProxies,
): string {
  const connection = server?.requestIP(request)?.address ?? 'unknown'
  return clientNetwork(clientAddress(connection, request.headers, trusted))
}

/**
 * Whose request it is: the address that connected to us or, where that is a trusted front's, the last one in
 * `X-Forwarded-For` that is not. What stands before it anybody may have written. Never throws.
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

/** Whether who connected to us is one of the fronts. */
export function isTrustedProxy(connection: string, trusted: TrustedProxies): boolean {
  const address = parseAddress(connection)
  return address !== null && isTrusted(address, trusted)
}

/** What a client is counted as: its IPv4 address, or the /64 that its IPv6 address may roam in (RFC 6177). */
export function clientNetwork(address: string): string {
  const parsed = parseAddress(address)
  if (!(parsed instanceof ipaddr.IPv6)) return address
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`
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

/** An IPv4 address that comes as IPv6, as it does to a listener for both, is the IPv4 address. */
function parseAddress(text: string): Address | null {
  const address = strictAddress(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress()
    ? address.toIPv4Address()
    : address
}

// Only the usual ways to write one: `ipaddr.parse` also takes 0x7f.1 and 2130706433.
function strictAddress(text: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  return text.includes(':') && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : null
}

/** Some fronts write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
const withoutPort = (text: string): string =>
  /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([^:]*):\d+$/, '$1')
