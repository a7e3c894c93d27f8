export interface WebAddress {
  /** `https://example.org`, in ASCII. */
  readonly origin: string
  /** Lower case, no port, no trailing dot. */
  readonly host: string
  /** Path, query and fragment after the host; may be empty. */
  readonly rest: string
}

/** Whether a string starts like an http(s) URL. */
export function isWebAddress(text: string): boolean {
  return /^https?:\/\//i.test(text)
}

/** Null for a string that is not an http(s) URL, or contains a user name or password. */
export function parseWebAddress(text: string): WebAddress | null {
  const [, start = '', rest = ''] = /^(https?:\/\/[^/?#\\]*)(.*)$/is.exec(text) ?? []
  const url = URL.parse(start)
  if (url === null || url.href !== `${url.origin}/`) return null
  return { origin: url.origin, host: url.hostname.replace(/\.$/, ''), rest }
}
