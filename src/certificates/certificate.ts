/** What a handshake shows, in PEM. */
export interface Certificate {
  /** The host's own certificate first. */
  readonly chain: string
  readonly key: string
}

/** The names under which a host's certificate may be found, the most specific first: its own, and the wildcard above it. */
export function certificateNamesOf(host: string): readonly string[] {
  const dot = host.indexOf('.')
  return dot === -1 ? [host] : [host, `*${host.slice(dot)}`]
}
