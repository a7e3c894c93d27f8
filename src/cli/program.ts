import { Command } from 'commander'

/** The options that every command takes, each standing for a setting. */
export interface CommandOptions {
  readonly port?: string
  readonly data?: string
  readonly baseUrl?: string
  readonly baseDomain?: string
}

export type CommandAction = (options: CommandOptions) => Promise<void>

/** What each command does; `main` hands it in. */
export interface CommandActions {
  readonly serve: CommandAction
  readonly dev: CommandAction
  readonly demo: CommandAction
}

/** The argument table of `sitehost`. */
export function createProgram(actions: CommandActions, version: string): Command {
  const program = new Command('sitehost')
    .description(
      'Publishes static websites to their owners’ AT Protocol repositories, and serves them.',
    )
    .version(version)
  const command = (name: keyof CommandActions, description: string): void => {
    program
      .command(name)
      .description(description)
      .option('--port <number>', 'port to listen on; 0 for any free one (PORT)')
      .option('--data <folder>', 'folder for everything that is stored (DATA_DIR)')
      .option('--base-url <url>', 'address of the application (BASE_URL)')
      .option('--base-domain <domain>', 'domain under which sites get their names (BASE_DOMAIN)')
      .action(actions[name])
  }
  command('serve', 'run the service on the real network')
  command('dev', 'run it on a network of its own, empty, reloading when its code changes')
  command('demo', 'run it on a network of its own, with a sample site')
  return program
}
