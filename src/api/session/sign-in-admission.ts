import { invitationHash, type SignInPolicy } from '#admin/invitations.ts'
import type { Identities } from '#atproto/identity/identity.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { inTransaction } from '#store/database/transaction.ts'
import {
  addAllowedAccount,
  isAllowedAccount,
  isListed,
} from '#store/moderation/allowed-accounts.ts'
import { isOpenInvitation, takeInvitation } from '#store/moderation/invitations.ts'
import { readCookie, setCookie } from './cookies.ts'

interface AdmissionOptions {
  readonly db: Db
  readonly signInIdentities: Pick<Identities, 'resolve' | 'verifiedHandle'>
  readonly now: () => number
  readonly origin: string
  readonly signIn: SignInPolicy
  /** The longest list of accounts; default `allowedAccountsMax`. */
  readonly allowedMax?: number
}

/** How long a browser may use the invitation that it has opened. */
const invitedSeconds = 24 * 60 * 60

/** Who may sign in (`SIGN_IN`). Accounts that came with an invitation are on the list from then on. */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #secure: boolean
  readonly #cookieName: string

  constructor(options: AdmissionOptions) {
    this.#options = options
    this.#secure = options.origin.startsWith('https:')
    this.#cookieName = this.#secure ? '__Host-invitation' : 'invitation'
  }

  /** Whether the account may be signed in, by what is known here. */
  async isAllowed(did: Did): Promise<boolean> {
    const { db, signIn } = this.#options
    return signIn === 'open' || (await isAllowedAccount(db, did))
  }

  /** Whether the account may sign in now. Uses up the invitation if it needs one. Stores nothing for one that may not. */
  async enter(did: Did, code: string | null): Promise<boolean> {
    const { db, signIn } = this.#options
    if (signIn === 'open' || (await isListed(db, [did]))) return true
    const handle = await this.#handleOf(did)
    if (handle !== null && (await isListed(db, [handle]))) return true
    return signIn === 'invited' && code !== null && (await this.#accept(did, code))
  }

  /** The cookie with which the browser that opened this invitation signs in; null: nobody can use it any more. */
  async cookieFor(code: string): Promise<string | null> {
    const { db, now } = this.#options
    if (!isCode(code)) return null
    if (!(await isOpenInvitation(db, invitationHash(code), now()))) return null
    return setCookie(this.#cookieName, code, {
      maxAgeSeconds: invitedSeconds,
      secure: this.#secure,
    })
  }

  /** The code in the request's cookie. */
  codeIn(headers: Headers): string | null {
    const cookie = readCookie(headers.get('cookie'), this.#cookieName)
    return cookie.kind === 'one' && isCode(cookie.value) ? cookie.value : null
  }

  async #accept(did: Did, code: string): Promise<boolean> {
    const { allowedMax, db, now } = this.#options
    try {
      return await inTransaction(db, async (transaction) => {
        if (!(await takeInvitation(transaction, invitationHash(code), did, now()))) return false
        const allowed = { account: did, addedBy: 'invitation', at: now() }
        if (await addAllowedAccount(transaction, allowed, allowedMax)) return true
        throw new ListFullError()
      })
    } catch (error) {
      if (error instanceof ListFullError) return false
      throw error
    }
  }

  async #handleOf(did: Did): Promise<string | null> {
    const { signInIdentities: identities } = this.#options
    const identity = await identities.resolve(did, { fresh: true })
    return (await identities.verifiedHandle(identity)) ?? null
  }
}

/** Rolls back, so that the guest can use the invitation once the list has room. */
class ListFullError extends Error {
  override readonly name = 'ListFullError'
}

const isCode = (text: string): boolean => /^[\w-]{20,64}$/.test(text)
