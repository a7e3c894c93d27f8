import { Argument, type Command, type CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { deployCommand } from './commands/deploy-command.ts'
import { diagnoseCommand } from './commands/diagnose-command.ts'
import { historyCommands } from './commands/history-commands.ts'
import { instanceCommands } from './commands/instance-commands.ts'
import { mcpCommand } from './commands/mcp-command.ts'
import { openCommand } from './commands/open-command.ts'
import { settingsCommand } from './commands/settings-command.ts'
import { signInCommands } from './commands/sign-in-commands.ts'
import type { SiteCommand } from './commands/site-command.ts'
import { verifiedCommands } from './commands/verified-commands.ts'
import { completionOf, shells } from './completion.ts'
import { shortHelp } from './short-help.ts'
import { wrapped } from './wrapped.ts'

/** In the order of `--help`. `bin/sitehost` lists their names, too. */
const siteCommands: readonly SiteCommand[] = [
  deployCommand,
  ...signInCommands,
  ...historyCommands,
  settingsCommand,
  openCommand,
  ...verifiedCommands,
  ...instanceCommands,
  diagnoseCommand,
  mcpCommand,
]

/** Runs a command for site owners: its modules are loaded only then. Sets the exit code, and throws nothing. */
export type RunSiteCommand = (command: (context: CommandContext) => Promise<void>) => Promise<void>

/** The commands for site owners, in the group of the last `commandsGroup`. A mistake in the arguments exits with 2. */
export function addSiteCommands(program: Command, run: RunSiteCommand): void {
  program.configureHelp(shortHelp).showHelpAfterError(`See: ${program.name()} --help`)
  for (const row of siteCommands) addCommand(program, row, run)
  const completion = addCommand(program, completionRow, run)
  completion.action((shell) => {
    process.stdout.write(`${completionOf(program, shell)}\n`)
  })
}

const completionRow: SiteCommand = {
  usage: 'completion <shell>',
  description: 'print a script by which your shell completes commands and options',
  arguments: [{ description: 'bash, zsh or fish', choices: shells }],
  examples: [
    'sitehost completion bash >> ~/.bashrc',
    'sitehost completion zsh >> ~/.zshrc',
    'sitehost completion fish > ~/.config/fish/completions/sitehost.fish',
  ],
}

/** In the order of `--help`. */
export const siteCommandTable: readonly Pick<SiteCommand, 'usage' | 'description'>[] = [
  ...siteCommands,
  completionRow,
]

export const siteCommandNames: ReadonlySet<string> = new Set(
  siteCommandTable.map(({ usage }) => usage.split(' ', 1)[0] ?? ''),
)

/** As `SiteCommand` has it, without the types of its row. */
type RunRow = (context: CommandContext, ...optionsAndArguments: unknown[]) => Promise<void>

function addCommand(parent: Command, row: SiteCommand, run: RunSiteCommand): Command {
  const [name = '', ...usages] = row.usage.split(' ')
  const command = parent.command(name).description(row.description).exitOverride(exitAsDocumented)
  const path = parent.parent === null ? name : `${parent.name()} ${name}`
  command
    .showHelpAfterError(`See: sitehost ${path} --help`)
    .addHelpText('after', () => helpOf(row, process.stdout.columns || 80))
  for (const [at, usage] of usages.entries()) {
    const { description, choices, default: value } = row.arguments?.[at] ?? {}
    const argument = new Argument(usage, description).default(value)
    command.addArgument(choices === undefined ? argument : argument.choices(choices))
  }
  for (const option of row.options ?? []) command.option(...option)
  for (const subcommand of row.subcommands ?? []) addCommand(command, subcommand, run)
  if (row.run === undefined) return command
  const runRow = row.run as RunRow
  return command.action((...given) => {
    const values = given.slice(0, usages.length)
    return run((context) => runRow(context, command.opts(), ...values))
  })
}

function helpOf({ about, examples, exitStatus }: SiteCommand, width: number): string {
  const lines = examples.map((line) => `  ${line}`).join('\n')
  const parts = [
    about && wrapped(about, width),
    `${examples.length > 1 ? 'Examples' : 'Example'}:\n${lines}`,
    exitStatus && wrapped(`Exit status: ${exitStatus}`, width),
  ]
  return `\n${parts.filter((part) => part !== undefined).join('\n\n')}`
}

export function exitAsDocumented({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : 2)
}
