import type { Did } from '#site/site-address.ts'
import {
  type AdminSession,
  type BrowserSession,
  createAdminSession,
  createBrowserSession,
  deleteSession,
  endSessionsOf,
  findAdminSession,
  findBrowserSession,
  listBrowserSessions,
  type SessionClock,
  type SessionTable,
  touchSession,
} from '#store/accounts/sessions.ts'
import type { Db } from '#store/database/database.ts'
import { readCookie, setCookie, signParts, verifyParts } from './cookies.ts'
import { deviceName } from './device-name.ts'
import type { KeyRing } from './key-ring.ts'
import { newSecret, secretHash } from './secrets.ts'

const minuteMs = 60 * 1000
const dayMs = 24 * 60 * minuteMs
/** Idle time after which a session ends. */
export const sessionIdleMs = 14 * dayMs
export const adminIdleMs = 30 * minuteMs

/** Identifies a browser session. */
export type SessionRef = Pick<BrowserSession, 'idHash' | 'did'>

export interface SessionsOptions {
  readonly db: Db
  readonly keys: KeyRing
  /** Whether the application is on https: cookies are then `Secure` and `__Host-`. */
  readonly secure: boolean
  readonly now: () => number
  /** Whether the account may be signed in; left out: every one may. */
  readonly isAllowed?: (did: Did) => Promise<boolean>
}

interface SessionKind<Session> {
  readonly table: SessionTable
  readonly sessionMs: number
  readonly idleMs: number
  readonly touchEveryMs: number
  readonly find: (db: Db, idHash: string, clock: SessionClock) => Promise<Session | null>
}

/** Sessions of one kind: a random id in a browser, and a row with the hash of that id. */
class Sessions<Session extends { readonly idHash: string; readonly seenAt: number }> {
  protected readonly options: SessionsOptions
  protected readonly kind: SessionKind<Session>

  constructor(options: SessionsOptions, kind: SessionKind<Session>) {
    this.options = options
    this.kind = kind
  }

  protected clock(): SessionClock {
    return { now: this.options.now(), idleMs: this.kind.idleMs }
  }

  protected newSession(): { id: string; idHash: string; now: number; expiresAt: number } {
    const id = newSecret()
    const now = this.options.now()
    return { id, idHash: secretHash(id), now, expiresAt: now + this.kind.sessionMs }
  }

  /** The session with this id; null if it has ended. */
  protected find(id: string): Promise<Session | null> {
    return this.kind.find(this.options.db, secretHash(id), this.clock())
  }

  /** The session with this id, marked as used now; null if it has ended or fails `isTheirs`. */
  protected async use(
    id: string,
    isTheirs: (session: Session) => boolean = () => true,
  ): Promise<Session | null> {
    const { db } = this.options
    const { table, touchEveryMs } = this.kind
    const clock = this.clock()
    const session = await this.find(id)
    if (session === null || !isTheirs(session)) return null
    const { idHash, seenAt } = session
    if (clock.now - seenAt > touchEveryMs) await touchSession(db, table, idHash, clock.now)
    return session
  }
}

/** Users' browser sessions: two cookies and a row (decisions.md §2). */
export class BrowserSessions extends Sessions<BrowserSession> {
  readonly #sid: string

  constructor(options: SessionsOptions) {
    super(options, {
      table: 'browserSessions',
      sessionMs: 30 * dayMs,
      idleMs: sessionIdleMs,
      touchEveryMs: 60 * minuteMs,
      find: findBrowserSession,
    })
    this.#sid = options.secure ? '__Host-sid' : 'sid'
  }

  /** Starts a session. `cookies`: the `Set-Cookie` values for the browser. */
  async start(
    did: Did,
    userAgent: string | null = null,
  ): Promise<{ session: SessionRef; cookies: string[] }> {
    const { db, keys } = this.options
    const { id, idHash, now, expiresAt } = this.newSession()
    const row = { idHash, did, device: deviceName(userAgent), expiresAt }
    await createBrowserSession(db, row, now)
    const signed = signParts(keys, 'did', [did, id], expiresAt)
    return { session: { idHash, did }, cookies: this.#cookies(signed, id, this.kind.sessionMs) }
  }

  /**
   * The request's session; null: signed out, expired, forged, ambiguous, or of an account that is not allowed any more,
   * whose sessions all end.
   */
  async read(headers: Headers): Promise<BrowserSession | null> {
    const named = this.#namedIn(headers)
    const session = named && (await this.use(named.id, ({ did }) => did === named.did))
    const { db, isAllowed } = this.options
    if (session === null || (await isAllowed?.(session.did)) !== false) return session
    await endSessionsOf(db, session.did)
    return null
  }

  /** Whether the request's session has not ended yet; does not count as use of it. */
  async lasts(headers: Headers): Promise<boolean> {
    const named = this.#namedIn(headers)
    const session = named && (await this.find(named.id))
    if (session === null || session.did !== named?.did) return false
    return (await this.options.isAllowed?.(session.did)) !== false
  }

  /** The account's sessions, latest used first. */
  async list(did: Did): Promise<BrowserSession[]> {
    return await listBrowserSessions(this.options.db, did, this.clock())
  }

  /** Ends this browser's session; true when it was the account's last one. */
  async end(session: SessionRef): Promise<boolean> {
    await deleteSession(this.options.db, this.kind.table, session.idHash)
    return (await this.list(session.did)).length === 0
  }

  /** `Set-Cookie` values that remove both cookies. */
  expired(): string[] {
    return this.#cookies('', '', 0)
  }

  #cookies(did: string, sid: string, ms: number): string[] {
    const attributes = { maxAgeSeconds: ms / 1000, secure: this.options.secure }
    return [setCookie('did', did, attributes), setCookie(this.#sid, sid, attributes)]
  }

  #namedIn(headers: Headers): { did: string; id: string } | null {
    const header = headers.get('cookie')
    const did = readCookie(header, 'did')
    const sid = readCookie(header, this.#sid)
    if (did.kind !== 'one' || sid.kind === 'many') return null
    const parts = verifyParts(this.options.keys, 'did', did.value, this.options.now())
    const [account, id] = parts ?? []
    if (account === undefined || id === undefined) return null
    // A hosted site can set `did` in a browser (cookie tossing), but not `sid`: only programs may leave that out.
    const isMatched = sid.kind === 'one' ? sid.value === id : !isBrowser(headers)
    return isMatched ? { did: account, id } : null
  }
}

const isBrowser = (headers: Headers): boolean =>
  headers.has('sec-fetch-site') || headers.has('origin')

const adminCookie = 'admin_session'

/** Administrators' browser sessions: a cookie and a row (decisions.md §2). */
export class AdminSessions extends Sessions<AdminSession> {
  constructor(options: SessionsOptions) {
    super(options, {
      table: 'adminSessions',
      sessionMs: 12 * 60 * minuteMs,
      idleMs: adminIdleMs,
      touchEveryMs: minuteMs,
      find: findAdminSession,
    })
  }

  /** Returns the `Set-Cookie` value of a new session. */
  async start(adminId: string): Promise<string> {
    const { db, keys } = this.options
    const { id, idHash, now, expiresAt } = this.newSession()
    await createAdminSession(db, { idHash, adminId, expiresAt }, now)
    return this.#cookie(signParts(keys, adminCookie, [id], expiresAt), this.kind.sessionMs)
  }

  /** Null: signed out, expired, forged, ambiguous, or of an administrator who was removed. */
  async read(headers: Headers): Promise<AdminSession | null> {
    const id = this.#idIn(headers)
    return id === undefined ? null : await this.use(id)
  }

  /** As `read`, but does not count as use of the session. */
  async peek(headers: Headers): Promise<AdminSession | null> {
    const id = this.#idIn(headers)
    return id === undefined ? null : await this.find(id)
  }

  /** Whether the request's session has not ended yet; does not count as use of it. */
  async lasts(headers: Headers): Promise<boolean> {
    return (await this.peek(headers)) !== null
  }

  async end(session: AdminSession): Promise<void> {
    await deleteSession(this.options.db, this.kind.table, session.idHash)
  }

  /** Whether the request has the cookie, with any value. */
  isNamed(headers: Headers): boolean {
    return readCookie(headers.get('cookie'), adminCookie).kind !== 'absent'
  }

  /** The `Set-Cookie` value that removes the cookie. */
  expired(): string {
    return this.#cookie('', 0)
  }

  #idIn(headers: Headers): string | undefined {
    const { keys, now } = this.options
    const cookie = readCookie(headers.get('cookie'), adminCookie)
    if (cookie.kind !== 'one') return undefined
    return verifyParts(keys, adminCookie, cookie.value, now())?.[0]
  }

  #cookie(value: string, ms: number): string {
    const { secure } = this.options
    return setCookie(adminCookie, value, { maxAgeSeconds: ms / 1000, secure, sameSite: 'Strict' })
  }
}
