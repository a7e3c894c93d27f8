import { Command } from 'commander'

/** The options of the commands that run the service, each standing for a setting. */
export interface CommandOptions {
  readonly port?: string
  readonly data?: string
  readonly baseUrl?: string
  readonly baseDomain?: string
}

export type CommandAction = (options: CommandOptions) => Promise<void>

export interface PreviewOptions {
  readonly port: string
  /** A file with the site's settings. */
  readonly settings?: string
  readonly watch?: true
}

/** The options of the commands that look after the data folder. */
export interface DataOptions {
  readonly data?: string
}

export interface BackfillOptions extends DataOptions {
  readonly all?: true
}

/** What each command does; `main` hands it in. */
export interface CommandActions {
  readonly serve: CommandAction
  readonly dev: CommandAction
  readonly demo: CommandAction
  readonly preview: (folder: string, options: PreviewOptions) => Promise<void>
  readonly backfill: (options: BackfillOptions) => Promise<void>
  readonly repair: (site: string, options: DataOptions) => Promise<void>
}

/** The argument table of `sitehost`. */
export function createProgram(actions: CommandActions, version: string): Command {
  const program = new Command('sitehost')
    .description(
      'Publishes static websites to their owners’ AT Protocol repositories, and serves them.',
    )
    .version(version)
  const command = (name: 'serve' | 'dev' | 'demo', description: string): void => {
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
  program
    .command('preview')
    .description('show a folder on this machine as visitors will get it, before it is published')
    .argument('<folder>', 'what would be published')
    .option('--port <number>', 'port to listen on; 0 for any free one', '8080')
    .option('--settings <file>', 'the site’s settings, as JSON')
    .option('--watch', 'read folder and settings again when they change')
    .action(actions.preview)
  program
    .command('backfill')
    .description('bring the sites here of every account that is known, and end')
    .option('--all', 'of every account of the network that has one (RELAY_URL)')
    .option('--data <folder>', 'folder for everything that is stored (DATA_DIR)')
    .action(actions.backfill)
  program
    .command('repair')
    .description('compare one site with its source, byte by byte, and mend what is here')
    .argument('<site>', 'whose it is and its name: <did>/<rkey>')
    .option('--data <folder>', 'folder for everything that is stored (DATA_DIR)')
    .action(actions.repair)
  return program
}
