import { ConcurrencyLimit } from '#api/concurrency-limit.ts'
import type { ApiContext } from '#api/context.ts'
import { sentences } from '#api/contract/messages.ts'
import { tooMany } from '#api/rate-limits.ts'
import { type Admin, findAdmin } from '#store/accounts/admins.ts'
import { isAdminName, isPassword } from './admin-password.ts'
import { SignInDelays, type SignInTry } from './admin-sign-in-delays.ts'

// A check takes 19 MiB and 30 ms: two at a time for strangers, and two for known browsers, so that no flood locks them out.
const checksAtOnceMax = 2
const checksWaitingMax = 20
const checkWaitMsMax = 5_000

interface SignInOptions extends Pick<ApiContext, 'db' | 'elapsed'> {
  readonly isPassword?: typeof isPassword
}

/** Checks an administrator's name and password, with limits on guessing. */
export class AdminSignIn {
  readonly #options: SignInOptions
  readonly #delays: SignInDelays
  readonly #checks = new ConcurrencyLimit({
    max: checksAtOnceMax,
    waitingMax: checksWaitingMax,
    waitMsMax: checkWaitMsMax,
    sentence: sentences.adminSignInsBusy,
    retryAfterSeconds: 5,
  })

  constructor(options: SignInOptions) {
    this.#options = options
    this.#delays = new SignInDelays({ now: options.elapsed })
  }

  /** Null: unknown name or wrong password, which take the same time. Throws ApiError 429. */
  async check(tried: SignInTry, password: string): Promise<Admin | null> {
    const { db, isPassword: verify = isPassword } = this.#options
    const waitMs = this.#delays.begin(tried)
    if (waitMs > 0) throw tooMany('Too many tries to sign in.', waitMs)
    using _ = await this.#checks.acquire(tried.device === null ? 'strangers' : 'known')
    // Checked before the database query: PostgreSQL rejects strings that hold NUL.
    const admin = isAdminName(tried.name) ? await findAdmin(db, tried.name) : null
    if (!(await verify(password, admin?.passwordHash ?? null))) return null
    this.#delays.succeeded(tried)
    return admin
  }
}
