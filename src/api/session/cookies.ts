import type { KeyRing } from './key-ring.ts'

export type CookieRead =
  | { readonly kind: 'absent' }
  | { readonly kind: 'one'; readonly value: string }
  /** Sent more than once: another host of this domain set one, and the two cannot be told apart. */
  | { readonly kind: 'many' }

/** The value of the cookie with exactly this name. Never throws. */
export function readCookie(header: string | null, name: string): CookieRead {
  const values = (header ?? '')
    .split(';')
    // Not `trim`, which removes a byte A0: any host of the domain can set a cookie whose name begins with that byte,
    // and it would pass for our `__Host-` cookie.
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
  /** Strict: not sent for links on other sites either. */
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
