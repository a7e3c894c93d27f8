import { Command } from 'commander'
import { addSiteCommands } from '#cli/site-program.ts'
import { endProcess, ignoreGoneReaders } from '#main/process/end-process.ts'
import { version } from '#package.json'

// The package for site owners, on Node, Bun and Deno: `npm run build:cli` bundles it.

const stop = new AbortController()
// A second one ends the process at once.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(name))

const program = new Command('sitehost')
  .description(
    `Publishes static websites to their owners’ AT Protocol repositories.

Start with:
  sitehost login
  sitehost deploy <folder> --site <name, such as blog>`,
  )
  .version(version)
  .commandsGroup('Your sites:')
addSiteCommands(program, async (command) => {
  await import('#main/process/newer-methods.ts')
  const { runSiteCommand } = await import('#main/commands/site-owner.ts')
  process.exitCode = await runSiteCommand(command, stop.signal)
})
// `bin/sitehost` has others of these names, for backups and for the service.
for (const [name, alias] of [
  ['rollback', 'restore'],
  ['diagnose', 'doctor'],
] as const) {
  program.commands.find((command) => command.name() === name)?.alias(alias)
}
program.addHelpText(
  'after',
  `
Running the service:
  A Sitehost of your own serves such sites: see the project’s README.

docs/command-line.md of the project describes settings, results and exit status.`,
)
program.exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
ignoreGoneReaders()
await program.parseAsync()
await endProcess()
