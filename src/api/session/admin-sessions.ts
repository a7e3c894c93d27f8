import {
  type AdminSession,
  createAdminSession,
  deleteAdminSession,
  findAdminSession,
  touchAdminSession,
} from '#store/accounts/admin-sessions.ts'
import type { Db } from '#store/database/database.ts'
import { readCookie, setCookie, signParts, verifyParts } from './cookies.ts'
import type { KeyRing } from './key-ring.ts'

const minuteMs = 60 * 1000
const sessionMs = 12 * 60 * minuteMs
/** A session that was not used for so long has ended. */
export const adminIdleMs = 30 * minuteMs
const touchEveryMs = minuteMs
const cookieName = 'admin_session'

interface SessionsOptions {
  readonly db: Db
  readonly keys: KeyRing
  /** Whether the application is reached by https. */
  readonly secure: boolean
  readonly now: () => number
}

/** Which browser is whose of those who look after the service: a cookie there, a row here (decisions.md §2). */
export class AdminSessions {
  readonly #options: SessionsOptions

  constructor(options: SessionsOptions) {
    this.#options = options
  }

  /** Returns the `Set-Cookie` value of a new session. */
  async start(adminId: string): Promise<string> {
    const { db, keys, now } = this.#options
    const id = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
    const expiresAt = now() + sessionMs
    await createAdminSession(db, { idHash: hashOf(id), adminId, expiresAt }, now())
    return this.#cookie(signParts(keys, cookieName, [id], expiresAt), sessionMs / 1000)
  }

  /** Null: signed out, expired, forged, ambiguous, or of an administrator who was removed. */
  async read(headers: Headers): Promise<AdminSession | null> {
    const { db, keys } = this.#options
    const now = this.#options.now()
    const cookie = readCookie(headers.get('cookie'), cookieName)
    if (cookie.kind !== 'one') return null
    const [id] = verifyParts(keys, cookieName, cookie.value, now) ?? []
    if (id === undefined) return null
    const session = await findAdminSession(db, hashOf(id), { now, idleMs: adminIdleMs })
    if (session !== null && now - session.seenAt > touchEveryMs)
      await touchAdminSession(db, session.idHash, now)
    return session
  }

  /** Whether the request has a cookie of this name, whatever it holds. */
  isNamed(headers: Headers): boolean {
    return readCookie(headers.get('cookie'), cookieName).kind !== 'absent'
  }

  async end(session: AdminSession): Promise<void> {
    await deleteAdminSession(this.#options.db, session.idHash)
  }

  /** The `Set-Cookie` value that removes the cookie. */
  expired(): string {
    return this.#cookie('', 0)
  }

  #cookie(value: string, maxAgeSeconds: number): string {
    const { secure } = this.#options
    return setCookie(cookieName, value, { maxAgeSeconds, secure, sameSite: 'Strict' })
  }
}

const hashOf = (id: string): string => new Bun.CryptoHasher('sha256').update(id).digest('hex')
