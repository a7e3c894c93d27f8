import { Argument, Command } from 'commander'

/** The options of the commands that run the service, each standing for a setting. */
export interface CommandOptions {
  readonly port?: string
  readonly data?: string
  readonly baseUrl?: string
  readonly baseDomain?: string
}

export interface DemoOptions extends CommandOptions {
  /** Print the ready line at a terminal, too. */
  readonly json?: true
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
  readonly demo: (options: DemoOptions) => Promise<void>
  readonly preview: (folder: string, options: PreviewOptions) => Promise<void>
  readonly backfill: (options: BackfillOptions) => Promise<void>
  readonly repair: (site: string, options: DataOptions) => Promise<void>
  readonly unread: (options: DataOptions) => Promise<void>
  readonly adminAdd: (name: string, options: DataOptions) => Promise<void>
  readonly adminRemove: (name: string, options: DataOptions) => Promise<void>
  readonly adminList: (options: DataOptions) => Promise<void>
  readonly keys: (action: 'list' | 'rotate', options: DataOptions) => Promise<void>
}

/** What counts where neither an option nor a setting says something else, as texts. */
export interface Defaults {
  readonly port: string
  readonly baseDomain: string
  /** Of `serve` and of what looks after its folder. */
  readonly data: string
  /** `demo` and `dev` have folders of their own, whatever DATA_DIR is. */
  readonly demoData: string
  readonly devData: string
}

/** The argument table of `sitehost`. */
export function createProgram(
  actions: CommandActions,
  version: string,
  defaults: Defaults,
): Command {
  const program = new Command('sitehost')
    .description(
      'Publishes static websites to their owners’ AT Protocol repositories, and serves them.',
    )
    .version(version)
    .addHelpText(
      'after',
      '\nSettings are environment variables: .env.example describes each, docs/operating.md how to run it.',
    )
  const data = `folder for everything that is stored (DATA_DIR, else ${defaults.data})`
  const command = (name: 'serve' | 'dev' | 'demo', description: string, folder: string): Command =>
    program
      .command(name)
      .description(description)
      .option(
        '--port <number>',
        `port to listen on; 0 for any free one (PORT, else ${defaults.port})`,
      )
      .option('--data <folder>', folder)
      .option(
        '--base-url <url>',
        'address of the application (BASE_URL, else http://127.0.0.1 and the port)',
      )
      .option(
        '--base-domain <domain>',
        `domain under which sites get their names (BASE_DOMAIN, else ${defaults.baseDomain})`,
      )
      .action(actions[name])
  const ownFolder = (folder: string) => `folder for everything that is stored (else ${folder})`
  command('serve', 'run the service on the real network', data)
  command(
    'dev',
    'run it on a network of its own, empty, reloading when its code changes',
    ownFolder(defaults.devData),
  )
  command(
    'demo',
    'run it on a network of its own, with a sample site',
    ownFolder(defaults.demoData),
  ).option('--json', 'print what programs need to know at a terminal, too: one line, ready {…}')
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
    .option('--data <folder>', data)
    .action(actions.backfill)
  program
    .command('repair')
    .description('compare one site with its source, byte by byte, and mend what is here')
    .argument('<site>', 'whose it is and its name: <did>/<rkey>')
    .option('--data <folder>', data)
    .action(actions.repair)
  program
    .command('unread')
    .description(
      'list what could not be read from its owner’s server, why, and when it is tried again',
    )
    .option('--data <folder>', data)
    .action(actions.unread)
  addAdminCommands(program, actions, data)
  program
    .command('keys')
    .description('the keys that a service at a public address shows to account servers')
    .addArgument(
      new Argument('[action]', 'rotate: make a new one, which signs from an hour later on')
        .choices(['list', 'rotate'])
        .default('list'),
    )
    .option('--data <folder>', data)
    .action(actions.keys)
  return program
}

function addAdminCommands(program: Command, actions: CommandActions, data: string): void {
  const admin = program.command('admin').description('who looks after this service')
  const command = (nameAndArguments: string, description: string): Command =>
    admin.command(nameAndArguments).description(description).option('--data <folder>', data)
  command(
    'add <name>',
    'add somebody; the password is asked for, or read from standard input',
  ).action(actions.adminAdd)
  command('remove <name>', 'remove somebody, and sign them out everywhere').action(
    actions.adminRemove,
  )
  command('list', 'who there is, and since when').action(actions.adminList)
}
