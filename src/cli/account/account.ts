import { type Identity, IdentityError } from '#atproto/identity/identity.ts'
import type { AccountSession } from '#atproto/oauth/account-sessions.ts'
import { SessionEndedError } from '#atproto/oauth/session-ended.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { ServerRefusedError, ServerUnreachableError } from '#outbound/server-errors.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { openPasswordSession } from './password-session.ts'

/** An account whose repository a command may write to. */
export interface SignedInAccount {
  readonly identity: Identity
  readonly session: AccountSession
}

/**
 * The account that the command names, else that of `SITEHOST_HANDLE`, else the one that signed in last. An app password in the
 * environment is the sign-in, if there is one. Throws CommandError.
 */
export async function openAccount(
  { account }: Pick<AccountOptions, 'account'>,
  context: CommandContext,
): Promise<SignedInAccount> {
  const { appPassword, handle } = context.credentials
  const name = account ?? handle
  if (appPassword === undefined) return await openSaved(name, context)
  if (name === undefined) throw new UsageError(signInFirst)
  return await openByPassword(name, appPassword, context)
}

async function openSaved(
  name: string | undefined,
  context: CommandContext,
): Promise<SignedInAccount> {
  const { accounts, console, identities, signal } = context
  const saved = await accounts.find(name)
  if (saved === undefined) {
    throw new UsageError(name === undefined ? signInFirst : notSignedIn(name))
  }
  const { did, handle, origin } = saved
  if (name === undefined && (await accounts.list()).length > 1) {
    console.note(`Acts for ${handle ?? did}. Another account: --account <handle>.`)
  }
  const { openSignIns } = await import('./browser-sign-ins.ts')
  const identity = await resolved(handle ?? did, identities.resolve(did, { signal }), signal)
  const session = await openSignIns(origin, context)
    .session(did)
    .catch((error) => {
      signal.throwIfAborted()
      if (error instanceof SessionEndedError) {
        const again = `The sign-in of ${handle ?? did} has ended. Sign in again: sitehost login ${handle ?? did}`
        throw new CommandError(again, { cause: error })
      }
      throw signInProblem(error, identity, `did not renew the sign-in of ${handle ?? did}`)
    })
  return { identity, session }
}

async function resolved(
  name: string,
  work: Promise<Identity>,
  signal: AbortSignal,
): Promise<Identity> {
  try {
    return await work
  } catch (cause) {
    signal.throwIfAborted()
    if (!(cause instanceof IdentityError)) throw cause
    throw new CommandError(`The account ${name} cannot be found: ${cause.message}.`, { cause })
  }
}

async function openByPassword(
  handle: string,
  appPassword: string,
  context: CommandContext,
): Promise<SignedInAccount> {
  const { console, identities, signal } = context
  const did = await didOf(handle, context)
  const identity = await resolved(handle, identities.resolve(did, { signal }), signal)
  const session = await openPasswordSession(identity, appPassword, context).catch((error) => {
    throw signInProblem(error, identity, 'did not accept SITEHOST_APP_PASSWORD')
  })
  console.warn(passwordWarning)
  return { identity, session }
}

const signInFirst =
  'Nobody is signed in. Sign in with: sitehost login <your handle>. A job sets SITEHOST_HANDLE and SITEHOST_APP_PASSWORD to an app password.'

const notSignedIn = (name: string): string =>
  `${name} is not signed in. Sign in with: sitehost login ${name}`

/** Once for each command: it is in every log of a job, where somebody may read it. */
const passwordWarning =
  'Signed in with an app password, which may write everything in this account, not only sites. Keep it a secret of one job, and delete it in the account’s settings when the job is gone.'

async function didOf(handle: string, { identities, signal }: CommandContext): Promise<Did> {
  const given = handle.trim().replace(/^@/, '')
  const did = parseDid(given) ?? (await lookUp(given, identities, signal))
  if (did !== null) return did
  throw new CommandError(`There is no account ${given}. SITEHOST_HANDLE is your handle or DID.`)
}

async function lookUp(
  handle: string,
  identities: CommandContext['identities'],
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

/** `refusal`: what the server did, if it refused. */
function signInProblem(error: unknown, { pds }: Identity, refusal: string): unknown {
  const options = { cause: error }
  if (error instanceof ServerUnreachableError) {
    return new CommandError(`Your account’s server, ${pds}, did not answer. Try again.`, options)
  }
  if (!(error instanceof ServerRefusedError)) return error
  if (error.status === 429) {
    return new CommandError(`${pds} takes no more sign-ins for now. Try again later.`, options)
  }
  if (error.status < 500) {
    return new CommandError(`${pds} ${refusal}: ${error.reason}.`, options)
  }
  return new CommandError(`${pds} has a fault at the moment. Try again later.`, options)
}
