export interface WebAddress {
  /** `https://example.org`, in ASCII. */
  readonly origin: string
  /** Lower case, no port, no trailing dot. */
  readonly host: string
  /** What follows the host: a path, a query, a fragment; may be empty. */
  readonly rest: string
}

/** Whether a text is meant as an address of the web. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** Null for a text that is no http(s) address, or holds a name or a password. */
export function parseWebAddress(text: string): WebAddress | null {
  const [, start = '', rest = ''] = /^(https?:\/\/[^/?#\\]*)(.*)$/is.exec(text) ?? []
  const url = URL.parse(start)
  if (url === null || url.href !== `${url.origin}/`) return null
  return { origin: url.origin, host: url.hostname.replace(/\.$/, ''), rest }
}
