import { isIP } from 'node:net'

/** Where to listen. */
export interface ListenAddress {
  /** A literal address. */
  readonly host: string
  readonly port: number
}

/** `127.0.0.1:3001` or `[::1]:3001`; null for anything else, names included. */
export function parseListenAddress(text: string): ListenAddress | null {
  const [, v6, v4, digits] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
  const host = v6 ?? v4 ?? ''
  const port = Number(digits)
  const isAddress = isIP(host) === (v6 === undefined ? 4 : 6)
  return isAddress && port >= 1 && port <= 65_535 ? { host, port } : null
}
