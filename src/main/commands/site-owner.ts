import { Resolver } from 'node:dns/promises'
import { constants } from 'node:os'
import type { LookUpTxt } from '#atproto/identity/dns-handle-resolver.ts'
import { Identities } from '#atproto/identity/identity.ts'
import { SavedAccounts } from '#cli/account/saved-accounts.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, exitCodeOf } from '#cli/command-error.ts'
import { Console, type Streams } from '#cli/console.ts'
import { FolderError } from '#cli/folder/folder-error.ts'
import { onAbort } from '#concurrency/or-aborted.ts'
import { ConfigError, type Environment } from '#main/config/parse-settings.ts'
import { readSiteOwnerConfig, type SiteOwnerConfig } from '#main/config/site-owner-config.ts'
import { codeOf } from '#observe/code-of.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { fetchOfLoopback, isReadOfLoopback } from './loopback-fetch.ts'

// The commands for site owners, for `bin/sitehost` and the package for people: no API of Bun.

/** Of one server, for files of one site. */
const requestsPerHost = { max: 16, waitingMax: 100_000 }

interface Surroundings {
  readonly streams?: Streams
  readonly environment?: Environment
}

/** Says in one line why a command failed; returns its exit status. */
export async function runSiteCommand(
  command: (context: CommandContext) => Promise<void>,
  signal: AbortSignal,
  { environment, streams = process }: Surroundings = {},
): Promise<number> {
  const console = new Console(streams)
  try {
    const config = readSiteOwnerConfig(environment)
    console.hasColour = !config.noColour
    await command(contextOf(config, console, signal))
    return 0
  } catch (error) {
    return failed(error, console, signal)
  }
}

/** As a shell reports a process that the signal ended; `signal` was aborted with its name. */
const interrupted = ({ reason }: AbortSignal): number =>
  128 + (reason === 'SIGTERM' ? constants.signals.SIGTERM : constants.signals.SIGINT)

function failed(error: unknown, console: Console, signal: AbortSignal): number {
  if (signal.aborted) {
    console.fail('Interrupted.')
    return interrupted(signal)
  }
  if (error instanceof CommandError) {
    for (const line of error.lines) console.fail(line)
    return exitCodeOf(error)
  }
  if (error instanceof ConfigError || error instanceof FolderError) {
    console.fail(error.message)
    return error instanceof ConfigError ? 2 : 1
  }
  console.fail(String(error))
  for (const frame of framesOf(error)) console.fail(frame)
  return 1
}

/** Without the message, which may have further lines of somebody else's. */
const framesOf = (error: unknown): string[] =>
  error instanceof Error
    ? (error.stack?.split('\n').filter((line) => /^ +at /.test(line)) ?? [])
    : []

function contextOf(config: SiteOwnerConfig, console: Console, signal: AbortSignal): CommandContext {
  const { accountsFile, allowPrivateHosts, credentials, editor, handleResolverUrl } = config
  const { instance, limits, plcUrl } = config
  const fetch = createSafeFetch({
    allowPrivate: allowPrivateHosts,
    connectsByName: true,
    connect: (request, init) =>
      isReadOfLoopback(request)
        ? fetchOfLoopback(request, request.signal)
        : globalThis.fetch(request, init),
    perHost: requestsPerHost,
  })
  const identities = new Identities({
    fetch,
    plcUrl,
    handleResolverUrl,
    lookUpTxt,
    allowHttp: allowPrivateHosts,
  })
  return {
    accounts: new SavedAccounts(accountsFile),
    allowHttp: allowPrivateHosts,
    console,
    credentials,
    editor,
    fetch,
    identities,
    instance,
    limits,
    now: Date.now,
    signal,
  }
}

/** By the machine's name servers. */
const lookUpTxt: LookUpTxt = async (name, signal) => {
  const resolver = new Resolver({ timeout: 3_000, tries: 2 })
  using _ = signal ? onAbort(signal, () => resolver.cancel()) : null
  try {
    const records = await resolver.resolveTxt(name)
    return { answered: true, values: records.map((chunks) => chunks.join('')) }
  } catch (error) {
    const isNone = ['ENOTFOUND', 'ENODATA'].includes(codeOf(error) ?? '')
    return isNone ? { answered: true, values: [] } : { answered: false, reason: 'failing' }
  }
}
