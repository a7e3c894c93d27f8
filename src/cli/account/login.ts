import type { OAuth } from '#atproto/oauth/oauth.ts'
import { SignInError, type SignInFailure } from '#atproto/oauth/sign-in-error.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import type { Console } from '#cli/console.ts'
import { isDesktop, openInBrowser } from '#cli/open-in-browser.ts'
import type { Did } from '#site/site-address.ts'
import { openSignIns } from './browser-sign-ins.ts'
import { listenForCallback } from './callback-server.ts'

export interface LoginOptions {
  /** False: do not open one. */
  readonly browser: boolean
  readonly json?: true
}

/** As long as account servers keep a sign-in that was begun. */
const signInMsMax = 10 * 60_000

/** Signs in at the account's own server, by a browser. Throws CommandError. */
export async function login(
  handle: string | undefined,
  { browser, json }: LoginOptions,
  context: CommandContext,
): Promise<void> {
  const { accounts, console, identities } = context
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(signInMsMax)])
  const who = handle ?? (await askForHandle(context))
  // The port belongs to the client that tokens are issued to: the same one ends the sign-in that is replaced.
  await using server = await listenForCallback(await knownPort(who, context))
  const oauth = openSignIns(server.origin, { ...context, signal })
  const { url, nonce } = await oauth.begin(who).catch((error) => {
    throw loginProblem(error, who)
  })
  console.note('Sign in at your account’s server, in a browser:')
  console.note(url.href)
  if (browser && isDesktop()) openInBrowser(url)
  const did = await arrival(server, { oauth, nonce, who, console, signal }).catch((error) => {
    context.signal.throwIfAborted()
    if (signal.aborted) throw new CommandError('Nobody signed in within ten minutes.')
    throw error
  })
  const identity = await identities.resolve(did, { signal })
  const name = (await identities.verifiedHandle(identity, signal)) ?? null
  await accounts.choose(did, { handle: name, server: identity.pds }, signal)
  if (json) return console.say(JSON.stringify({ did, handle: name, server: identity.pds }))
  console.say(`Signed in as ${name ?? did}.`)
  if (console.isInteractive) {
    console.note('Publish a folder: sitehost deploy <folder> --site <name, such as blog>')
  }
}

async function askForHandle({ console, signal }: CommandContext): Promise<string> {
  const missing = 'Who signs in? Name your handle: sitehost login alice.example.com'
  if (!console.isInteractive) throw new UsageError(missing)
  const answer = await console.ask('Your handle, such as alice.example.com: ', signal)
  if (answer === '') throw new UsageError(missing)
  return answer
}

async function knownPort(who: string, { accounts }: CommandContext): Promise<number> {
  const known = await accounts.find(who)
  return known === undefined ? 0 : Number(new URL(known.origin).port)
}

interface Waiting {
  readonly oauth: OAuth
  readonly nonce: string
  readonly who: string
  readonly console: Console
  readonly signal: AbortSignal
}

type CallbackServer = Awaited<ReturnType<typeof listenForCallback>>

/** The account that signed in, whether its browser reached us or a person pasted where it ended. */
async function arrival(
  server: CallbackServer,
  { oauth, nonce, who, console, signal }: Waiting,
): Promise<Did> {
  const done = new AbortController()
  const either = AbortSignal.any([signal, done.signal])
  const complete = (query: URLSearchParams): Promise<Did> =>
    oauth
      .complete(query, nonce, async (did) => did)
      .catch((error) => {
        throw loginProblem(error, who)
      })
  const pasted = async (): Promise<Did> => {
    for (;;) {
      const text = await console.ask(
        'On another machine? Paste the address that the browser ends on: ',
        either,
      )
      const query = URL.canParse(text) ? new URL(text).searchParams : new URLSearchParams()
      if (query.has('state')) return await complete(query)
      console.warn('That is not the address: it begins with http://127.0.0.1 and has a “state”.')
    }
  }
  const ways = [server.receive({ complete, isForeign }, either)]
  if (console.isInteractive) ways.push(pasted())
  try {
    return await Promise.race(ways)
  } finally {
    done.abort()
    await Promise.allSettled(ways)
  }
}

/** A state that we have begun is used up once the OAuth library has seen it: its failure, the cause, ends this sign-in. */
const isForeign = (error: unknown): boolean =>
  error instanceof CommandError &&
  error.cause instanceof SignInError &&
  error.cause.cause === undefined &&
  ['expired', 'other-browser'].includes(error.cause.failure)

function loginProblem(error: unknown, who: string): unknown {
  if (!(error instanceof SignInError)) return error
  return new CommandError(sentences[error.failure](who), { cause: error })
}

const sentences: Readonly<Record<SignInFailure, (who: string) => string>> = {
  'not-an-account-name': (who) => `${who} is no handle, DID or server of an account.`,
  'unknown-handle': (who) => `There is no account ${who}.`,
  'unknown-account': (who) => `The account ${who} cannot be found.`,
  'server-unreachable': (who) => `The server of ${who} did not answer. Try again.`,
  'server-refused': (who) => `The server of ${who} did not accept the sign-in. Try again.`,
  'server-busy': (who) => `Too many requests to the server of ${who} are in progress. Try again.`,
  denied: () => 'Access was denied at your account’s server. Nobody is signed in.',
  'other-account': (who) =>
    `You allowed it for another account than ${who}. Nothing has changed here. Begin again, and choose ${who} in the browser; or name the other account.`,
  'not-allowed': () => 'This account may not sign in here.',
  'scopes-missing': () =>
    'Your account’s server did not allow all that publishing needs. Sign in again and allow all of it.',
  'other-browser': () => 'This sign-in was begun by another command. Begin again.',
  expired: () => 'This sign-in is too old, or was used already. Begin again.',
}
