import type { CommandContext } from '#cli/command-context.ts'

/** A command for site owners, as data; its modules are loaded when it runs. */
export interface SiteCommand {
  /** As the argument table has it: `pull <site> [folder]`. */
  readonly usage: string
  readonly description: string
  /** Of each argument in `usage`, in its order. */
  readonly arguments?: readonly CommandArgument[]
  readonly options?: readonly CommandOption[]
  /** Before the examples. */
  readonly about?: string
  /** Whole lines: `sitehost sites --json`. Of a command with subcommands: theirs. */
  readonly examples: readonly string[]
  /** After the examples: only if it differs from that of the others. */
  readonly exitStatus?: string
  /** Not of a command with subcommands. */
  readonly run?: RunCommand
  readonly subcommands?: readonly SiteCommand[]
}

export interface CommandArgument {
  readonly description: string
  readonly default?: string
  readonly choices?: readonly string[]
}

/** Flags and what they mean. */
export type CommandOption = readonly [flags: string, description: string]

/** Each row names the types of its options and arguments as `commander` parses them; `addSiteCommands` alone calls it. */
type RunCommand = (context: CommandContext, options: never, ...args: never[]) => Promise<void>

export const account: CommandOption = [
  '--account <handle>',
  'for which signed-in account (else the last one)',
]
export const json: CommandOption = ['--json', 'print the result as one JSON object']
export const site: CommandOption = [
  '--site <name>',
  'which site (else "site" in the sitehost.json of this folder)',
]
export const wait: CommandOption = [
  '--wait [address]',
  'wait until visitors get it: at your Sitehost, or at this address of a site or domain',
]
export const instance: CommandOption = [
  '--instance <address>',
  'which Sitehost (else SITEHOST_URL, or "instance" in the sitehost.json of this folder)',
]
