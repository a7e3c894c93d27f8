import { readCookie, setCookie, signParts, verifyParts } from './cookies.ts'
import type { SessionsOptions } from './sessions.ts'

const knownMs = 90 * 24 * 60 * 60 * 1000

type DeviceOptions = Omit<SessionsOptions, 'db'>

/**
 * Browsers in which an administrator has signed in, by a cookie that outlives the session. It grants no access: its
 * attempts are counted separately (OWASP, "Slow Down Online Guessing Attacks with Device Cookies").
 */
export class KnownDevices {
  readonly #options: DeviceOptions
  readonly #cookieName: string

  constructor(options: DeviceOptions) {
    this.#options = options
    this.#cookieName = options.secure ? '__Host-admin_device' : 'admin_device'
  }

  /** The id of the browser in which this name has signed in; null: unknown. */
  read(headers: Headers, name: string): string | null {
    const cookie = readCookie(headers.get('cookie'), this.#cookieName)
    if (cookie.kind !== 'one') return null
    const { keys, now } = this.#options
    const [knownName, id] = verifyParts(keys, this.#cookieName, cookie.value, now()) ?? []
    return knownName === name && id !== undefined ? id : null
  }

  /** The `Set-Cookie` value that makes the browser known. */
  remember(name: string): string {
    const { keys, secure, now } = this.#options
    const parts = [name, crypto.randomUUID()]
    const value = signParts(keys, this.#cookieName, parts, now() + knownMs)
    return setCookie(this.#cookieName, value, {
      maxAgeSeconds: knownMs / 1000,
      secure,
      sameSite: 'Strict',
    })
  }
}
