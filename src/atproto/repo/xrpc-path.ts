export type XrpcParameters = Readonly<Record<string, string | number | readonly string[]>>

/** The path of a request, with its query; a list is a parameter for each value (https://atproto.com/specs/xrpc). */
export function xrpcPath(method: string, parameters: XrpcParameters = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) {
    for (const each of typeof value === 'object' ? value : [value]) query.append(name, String(each))
  }
  return query.size === 0 ? `/xrpc/${method}` : `/xrpc/${method}?${query}`
}
