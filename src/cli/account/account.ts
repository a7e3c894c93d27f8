import { type Identities, type Identity, IdentityError } from '#atproto/identity/identity.ts'
import type { AccountSession } from '#atproto/oauth/account-sessions.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import type { Console } from '#cli/console.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { ServerRefusedError, ServerUnreachableError } from '#outbound/server-errors.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { openPasswordSession } from './password-session.ts'

/** Who signs in without a browser: `SITEHOST_HANDLE` and `SITEHOST_APP_PASSWORD`. */
export interface Credentials {
  readonly handle: string | undefined
  readonly appPassword: string | undefined
}

export interface AccountContext {
  readonly credentials: Credentials
  readonly identities: Pick<Identities, 'didOfHandle' | 'resolve'>
  readonly fetch: SafeFetch
  readonly console: Console
  readonly signal: AbortSignal
}

/** An account whose repository a command may write to. */
export interface SignedInAccount {
  readonly identity: Identity
  readonly session: AccountSession
}

/** Signs in with the app password. Throws CommandError. */
export async function openAccount(context: AccountContext): Promise<SignedInAccount> {
  const { credentials, console, identities, signal } = context
  const { handle, appPassword } = credentials
  if (handle === undefined || appPassword === undefined) throw new UsageError(signInFirst)
  const did = await didOf(handle, context)
  const identity = await identities.resolve(did, { signal }).catch((error) => {
    signal.throwIfAborted()
    if (!(error instanceof IdentityError)) throw error
    throw new CommandError(`The account ${handle} cannot be found: ${error.message}.`, {
      cause: error,
    })
  })
  const session = await openPasswordSession(identity, appPassword, context).catch((error) => {
    throw signInProblem(error, identity)
  })
  console.warn(passwordWarning)
  return { identity, session }
}

const signInFirst =
  'Nobody is signed in. Set SITEHOST_HANDLE to your handle and SITEHOST_APP_PASSWORD to an app password of your account.'

/** Once for each command: it is in every log of a job, where somebody may read it. */
const passwordWarning =
  'Signed in with an app password, which may write everything in this account, not only sites. Keep it a secret of one job, and delete it in the account’s settings when the job is gone.'

async function didOf(handle: string, { identities, signal }: AccountContext): Promise<Did> {
  const given = handle.trim().replace(/^@/, '')
  const did = parseDid(given) ?? (await lookUp(given, identities, signal))
  if (did !== null) return did
  throw new CommandError(`There is no account ${given}. SITEHOST_HANDLE is your handle or DID.`)
}

async function lookUp(
  handle: string,
  identities: AccountContext['identities'],
  signal: AbortSignal,
): Promise<Did | null> {
  try {
    return await identities.didOfHandle(handle, signal)
  } catch (cause) {
    signal.throwIfAborted()
    throw new CommandError(`The handle ${handle} cannot be looked up now. Try again later.`, {
      cause,
    })
  }
}

function signInProblem(error: unknown, { pds }: Identity): unknown {
  const options = { cause: error }
  if (error instanceof ServerUnreachableError) {
    return new CommandError(`Your account’s server, ${pds}, did not answer. Try again.`, options)
  }
  if (!(error instanceof ServerRefusedError)) return error
  if (error.status === 429) {
    return new CommandError(`${pds} takes no more sign-ins for now. Try again later.`, options)
  }
  if (error.status < 500) {
    return new CommandError(
      `${pds} did not accept SITEHOST_APP_PASSWORD: ${error.reason}.`,
      options,
    )
  }
  return new CommandError(`${pds} has a fault at the moment. Try again later.`, options)
}
