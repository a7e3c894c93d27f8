import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'

/** Says for whom commands act, and which accounts are signed in. Asks no server. Throws CommandError. */
export async function whoami(
  { json }: { readonly json?: true },
  { accounts, console, credentials }: CommandContext,
): Promise<void> {
  const saved = (await accounts.list()).map(({ did, handle, server }) => ({ did, handle, server }))
  const byPassword = credentials.appPassword !== undefined
  const name = credentials.handle
  const found = byPassword ? undefined : await accounts.find(name)
  const current = byPassword ? (name ?? null) : (found?.handle ?? found?.did ?? null)
  if (json) {
    const signIn = current === null ? null : byPassword ? 'app-password' : 'browser'
    console.say(
      JSON.stringify({ account: current, did: found?.did ?? null, signIn, accounts: saved }),
    )
  }
  if (current === null) {
    throw new CommandError('Nobody is signed in. Sign in with: sitehost login <your handle>')
  }
  if (json) return
  console.say(byPassword ? `${current} (SITEHOST_APP_PASSWORD)` : current)
  for (const { did, handle } of saved) {
    if (did !== found?.did) console.note(`also signed in: ${handle ?? did}`)
  }
}
