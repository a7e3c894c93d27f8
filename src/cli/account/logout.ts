import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { openSignIns } from './browser-sign-ins.ts'
import type { SavedAccount } from './saved-accounts.ts'

export interface LogoutOptions {
  readonly all?: true
  readonly json?: true
}

/** Ends sign-ins at their servers, and forgets their tokens here also if a server does not answer. Throws CommandError. */
export async function logout(
  name: string | undefined,
  { all, json }: LogoutOptions,
  context: CommandContext,
): Promise<void> {
  const { accounts, console } = context
  const ended = all
    ? await accounts.list()
    : [await accounts.find(name)].flatMap((found) => found ?? [])
  if (ended.length === 0 && !all) {
    throw new CommandError(
      name === undefined ? 'Nobody is signed in.' : `${name} is not signed in.`,
    )
  }
  for (const account of ended) await end(account, context)
  if (json)
    console.say(JSON.stringify({ signedOut: ended.map(({ did, handle }) => ({ did, handle })) }))
  else for (const { did, handle } of ended) console.say(`Signed out: ${handle ?? did}.`)
}

async function end({ did, origin, server }: SavedAccount, context: CommandContext): Promise<void> {
  const { accounts, console, signal } = context
  try {
    await openSignIns(origin, context).revoke(did)
  } catch {
    signal.throwIfAborted()
    console.warn(
      `${server} did not confirm it. The tokens are deleted here; they end there within two weeks.`,
    )
  }
  await accounts.withLock(() => accounts.remove(did), signal)
}
