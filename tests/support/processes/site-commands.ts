import { PassThrough } from 'node:stream'
import { Command } from 'commander'
import type { CommandContext } from '#cli/command-context.ts'
import { addSiteCommands } from '#cli/site-program.ts'
import { runSiteCommand } from '#main/commands/site-owner.ts'
import type { CommandEnd } from './run-command.ts'

/** Every command for site owners that has no subcommands, by what is typed: `settings get`. */
export function siteCommandsByName(): ReadonlyMap<string, Command> {
  const program = new Command('sitehost')
  addSiteCommands(program, async () => {})
  const leaves = program.commands.flatMap((command) =>
    command.commands.length === 0
      ? [[command.name(), command] as const]
      : command.commands.map((each) => [`${command.name()} ${each.name()}`, each] as const),
  )
  return new Map(leaves)
}

interface RunOptions {
  readonly environment: Readonly<Record<string, string>>
  /** Called with all of standard error so far, as it grows. */
  readonly onComplaints?: (text: string) => void
  /** What the command gets of the outside, changed. */
  readonly within?: (context: CommandContext) => CommandContext
}

/** Runs a command for site owners in this process, without a terminal. A mistake in its arguments would end the process. */
export async function runInProcess(
  args: readonly string[],
  { environment, onComplaints = () => {}, within = (context) => context }: RunOptions,
): Promise<CommandEnd> {
  let [output, complaints] = ['', '']
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  stdout.on('data', (bytes) => {
    output += bytes
  })
  stderr.on('data', (bytes) => {
    complaints += bytes
    onComplaints(complaints)
  })
  const streams = { stdin, stdout, stderr } as unknown as Pick<
    NodeJS.Process,
    'stdin' | 'stdout' | 'stderr'
  >
  let code = 0
  const program = new Command('sitehost')
  addSiteCommands(program, async (command) => {
    const { signal } = new AbortController()
    const work = (context: CommandContext) => command(within(context))
    code = await runSiteCommand(work, signal, { streams, environment })
  })
  await program.parseAsync(args, { from: 'user' })
  // What was written is read.
  await new Promise((resolve) => setImmediate(resolve))
  return { code, said: output.split('\n').filter(Boolean), complaints }
}
