/** An address or a name as the host of a URL: an IPv6 address in brackets (RFC 3986 §3.2.2). */
export const urlHostOf = (address: string): string =>
  address.includes(':') ? `[${address}]` : address
