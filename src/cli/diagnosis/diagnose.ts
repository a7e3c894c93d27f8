import { openAccount } from '#cli/account/account.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { counted } from '#cli/counted.ts'
import { checkHost } from './check-host.ts'
import { checkServer } from './check-server.ts'
import { type Finding, findingLines, ok, problem, warning } from './finding.ts'

type Identity = Awaited<ReturnType<typeof openAccount>>['identity']

/** Says whether what publishing needs works: sign-in, handle, account server, clock, and the host of a site. Throws CommandError. */
export async function diagnose(
  address: string | undefined,
  options: AccountOptions,
  context: CommandContext,
): Promise<void> {
  const { console } = context
  const account = await checkSignIn(options, context)
  const findings = [account.finding]
  if (account.identity !== null) {
    findings.push(await checkHandle(account.identity, context))
    findings.push(...(await checkServer(account.identity.pds, context)))
  }
  if (address !== undefined) findings.push(...(await checkHost(address, context)))
  if (options.json) console.say(JSON.stringify({ findings }))
  else for (const line of findingLines(findings, console.width)) console.say(line)
  const problems = findings.filter(({ level }) => level === 'problem').length
  if (problems > 0) throw new CommandError(`${counted(problems, 'problem')}.`)
}

interface SignIn {
  readonly finding: Finding
  /** Null: nobody is signed in. */
  readonly identity: Identity | null
}

async function checkSignIn(options: AccountOptions, context: CommandContext): Promise<SignIn> {
  try {
    const { identity } = await openAccount(options, context)
    return { finding: ok('sign-in', `as ${identity.did}`), identity }
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof CommandError)) throw error
    const finding = problem('sign-in', error.lines.join(' '), 'sitehost login <your handle>')
    return { finding, identity: null }
  }
}

async function checkHandle(
  identity: Identity,
  { identities, signal }: CommandContext,
): Promise<Finding> {
  const handle = await identities.verifiedHandle(identity, signal)
  if (handle !== null) return ok('handle', `${handle} leads to the account, and back`)
  return warning(
    'handle',
    'no handle leads to this account and is named by it',
    'see your account’s settings, and the TXT record _atproto.<handle>; publishing works by the DID',
  )
}
