import type { Did } from '#site/site-address.ts'
import {
  type BrowserSession,
  countBrowserSessions,
  createBrowserSession,
  deleteBrowserSession,
  findBrowserSession,
  listBrowserSessions,
  touchBrowserSession,
} from '#store/accounts/browser-sessions.ts'
import type { Db } from '#store/database/database.ts'
import { readCookie, setCookie, signParts, verifyParts } from './cookies.ts'
import { deviceName } from './device-name.ts'
import type { KeyRing } from './key-ring.ts'

const dayMs = 24 * 60 * 60 * 1000
const sessionMs = 30 * dayMs
/** A session that was not used for so long has ended. */
export const sessionIdleMs = 14 * dayMs
const touchEveryMs = 60 * 60 * 1000

/** A browser session by what it is found by. */
export type SessionRef = Pick<BrowserSession, 'idHash' | 'did'>

interface SessionsOptions {
  readonly db: Db
  readonly keys: KeyRing
  /** Whether the application is reached by https: cookies are then `Secure` and `__Host-`. */
  readonly secure: boolean
  readonly now: () => number
}

/** Who is signed in in which browser: two cookies there, one row here (decisions.md §2). */
export class BrowserSessions {
  readonly #db: Db
  readonly #keys: KeyRing
  readonly #secure: boolean
  readonly #now: () => number
  readonly #sid: string

  constructor({ db, keys, secure, now }: SessionsOptions) {
    this.#db = db
    this.#keys = keys
    this.#secure = secure
    this.#now = now
    this.#sid = secure ? '__Host-sid' : 'sid'
  }

  /** Starts a session of its own for this browser, which has to get the `Set-Cookie` values. */
  async start(
    did: Did,
    userAgent: string | null = null,
  ): Promise<{ session: SessionRef; cookies: string[] }> {
    const sessionId = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
    const now = this.#now()
    const expiresAt = now + sessionMs
    const session = { idHash: hashOf(sessionId), did }
    await createBrowserSession(
      this.#db,
      { ...session, device: deviceName(userAgent), expiresAt },
      now,
    )
    const signed = signParts(this.#keys, 'did', [did, sessionId], expiresAt)
    const attributes = { maxAgeSeconds: sessionMs / 1000, secure: this.#secure }
    const cookies = [
      setCookie('did', signed, attributes),
      setCookie(this.#sid, sessionId, attributes),
    ]
    return { session, cookies }
  }

  /** The session that the request belongs to, or null: signed out, expired, forged or ambiguous. */
  async read(headers: Headers): Promise<BrowserSession | null> {
    const sessionId = this.#sessionId(headers)
    if (sessionId === null) return null
    const now = this.#now()
    const session = await findBrowserSession(this.#db, hashOf(sessionId.id), {
      now,
      idleMs: sessionIdleMs,
    })
    if (session === null || session.did !== sessionId.did) return null
    if (now - session.seenAt > touchEveryMs)
      await touchBrowserSession(this.#db, session.idHash, now)
    return session
  }

  /** The account's, those first that were used last. */
  async list(did: Did): Promise<BrowserSession[]> {
    return await listBrowserSessions(this.#db, did, { now: this.#now(), idleMs: sessionIdleMs })
  }

  /** Ends this browser's session; true when it was the account's last one. */
  async end(session: SessionRef): Promise<boolean> {
    await deleteBrowserSession(this.#db, session.idHash)
    const clock = { now: this.#now(), idleMs: sessionIdleMs }
    return (await countBrowserSessions(this.#db, session.did, clock)) === 0
  }

  /** `Set-Cookie` values that remove both cookies. */
  expired(): string[] {
    const attributes = { maxAgeSeconds: 0, secure: this.#secure }
    return [setCookie('did', '', attributes), setCookie(this.#sid, '', attributes)]
  }

  #sessionId(headers: Headers): { did: string; id: string } | null {
    const header = headers.get('cookie')
    const did = readCookie(header, 'did')
    const sid = readCookie(header, this.#sid)
    if (did.kind !== 'one' || sid.kind === 'many') return null
    const parts = verifyParts(this.#keys, 'did', did.value, this.#now())
    const [account, id] = parts ?? []
    if (account === undefined || id === undefined) return null
    // A hosted site can toss `did` at a browser, but not `sid`: without it only programs may sign in.
    const isMatched = sid.kind === 'one' ? sid.value === id : !isBrowser(headers)
    return isMatched ? { did: account, id } : null
  }
}

const isBrowser = (headers: Headers): boolean =>
  headers.has('sec-fetch-site') || headers.has('origin')

const hashOf = (sessionId: string): string =>
  new Bun.CryptoHasher('sha256').update(sessionId).digest('hex')
