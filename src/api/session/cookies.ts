import type { KeyRing } from './key-ring.ts'

export type CookieRead =
  | { readonly kind: 'absent' }
  | { readonly kind: 'one'; readonly value: string }
  /** Sent more than once: another host of this domain set one too, and nobody can tell which is ours. */
  | { readonly kind: 'many' }

/** The value of the cookie with exactly this name. Never throws. */
export function readCookie(header: string | null, name: string): CookieRead {
  const values = (header ?? '')
    .split(';')
    // Not `trim`, for which a byte A0 is a space: browsers let any host of the domain set a cookie whose name
    // begins with one, and it would pass for the `__Host-` cookie that nobody but us can set.
    .map((pair) => pair.replace(/^[ \t]+/, ''))
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  const [value] = values
  if (value === undefined) return { kind: 'absent' }
  return values.length > 1 ? { kind: 'many' } : { kind: 'one', value }
}

interface CookieAttributes {
  readonly maxAgeSeconds: number
  readonly secure: boolean
  /** Strict: links of other sites do not send it either. */
  readonly sameSite?: 'Lax' | 'Strict'
}

/** Host-only, HttpOnly and SameSite: by default, other sites' requests send it only for top-level navigation. */
export function setCookie(
  name: string,
  value: string,
  { maxAgeSeconds, secure, sameSite = 'Lax' }: CookieAttributes,
): string {
  const attributes = ['Path=/', 'HttpOnly', `SameSite=${sameSite}`, `Max-Age=${maxAgeSeconds}`]
  if (secure) attributes.push('Secure')
  return [`${name}=${value}`, ...attributes].join('; ')
}

/** `parts` with their expiry and a signature over name, value and expiry. Parts hold no `|`. */
export function signParts(
  keys: KeyRing,
  name: string,
  parts: readonly string[],
  expiresAt: number,
): string {
  const value = [...parts, String(expiresAt)].join('|')
  return `${value}|${keys.sign(`cookie ${name}`, value)}`
}

/** The parts of a value that `signParts` made for this cookie and that has not expired; else null. */
export function verifyParts(
  keys: KeyRing,
  name: string,
  signed: string,
  now: number,
): string[] | null {
  const end = signed.lastIndexOf('|')
  const value = signed.slice(0, end)
  if (end < 0 || !keys.verifies(`cookie ${name}`, value, signed.slice(end + 1))) return null
  const parts = value.split('|')
  return Number(parts.pop()) > now ? parts : null
}
