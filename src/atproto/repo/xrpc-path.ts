export type XrpcParameters = Readonly<Record<string, string | number>>

/** The path of a request, with its query (https://atproto.com/specs/xrpc). */
export function xrpcPath(method: string, parameters: XrpcParameters = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) query.set(name, String(value))
  return query.size === 0 ? `/xrpc/${method}` : `/xrpc/${method}?${query}`
}
