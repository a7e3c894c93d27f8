import { Argument, Command, Option } from 'commander'
import { addModerationCommands, type ModerationAction } from './moderation-program.ts'
import { addSiteCommands, exitAsDocumented, type RunSiteCommand } from './site-program.ts'

/** Options of the commands on the data folder. */
export interface DataOptions {
  readonly data?: string
}

/** Options of the commands that run the service; each overrides a setting. */
export interface CommandOptions extends DataOptions {
  readonly port?: string
  readonly baseUrl?: string
  readonly baseDomain?: string
  /** What the supervisor of `serve` tells the processes that it starts. */
  readonly supervised?: string
}

export interface DemoOptions extends CommandOptions {
  /** Print the ready line at a terminal too. */
  readonly json?: true
}

export interface PreviewOptions {
  readonly port: string
  /** Path of a JSON file with the site's settings. */
  readonly settings?: string
  readonly watch?: true
}

export interface BackupCommandOptions extends DataOptions {
  /** How many copies of the database stay. */
  readonly keep: string
  readonly blobs: boolean
  readonly prune?: true
}

export interface BlobsCopyOptions {
  /** Each a folder of blobs, or an address like that of BLOBS_URL. */
  readonly from: string
  readonly to: string
}

export interface JsonOptions extends DataOptions {
  readonly json?: true
}

export interface RestoreCommandOptions extends DataOptions {
  readonly replace?: true
}

export interface BackfillOptions extends DataOptions {
  readonly all?: true
}

/** The action of each command, passed in by `main`. */
export interface CommandActions {
  readonly runSiteCommand: RunSiteCommand
  readonly serve: (options: CommandOptions) => Promise<void>
  readonly dev: (options: CommandOptions) => Promise<void>
  readonly demo: (options: DemoOptions) => Promise<void>
  readonly preview: (folder: string, options: PreviewOptions) => Promise<void>
  readonly backup: (folder: string, options: BackupCommandOptions) => Promise<void>
  readonly blobsCopy: (options: BlobsCopyOptions) => Promise<void>
  readonly restore: (folder: string, options: RestoreCommandOptions) => Promise<void>
  readonly status: (options: JsonOptions) => Promise<void>
  readonly doctor: (options: JsonOptions) => Promise<void>
  readonly adminPasswd: (name: string, options: DataOptions) => Promise<void>
  readonly backfill: (options: BackfillOptions) => Promise<void>
  readonly repair: (site: string, options: DataOptions) => Promise<void>
  readonly unread: (options: DataOptions) => Promise<void>
  readonly adminAdd: (name: string, options: DataOptions) => Promise<void>
  readonly adminRemove: (name: string, options: DataOptions) => Promise<void>
  readonly adminList: (options: DataOptions) => Promise<void>
  readonly moderate: ModerationAction
  readonly keys: (action: 'list' | 'rotate', options: DataOptions) => Promise<void>
}

/** Fallbacks when neither an option nor a setting is given, as strings. */
export interface Defaults {
  readonly port: string
  readonly baseDomain: string
  /** For `serve` and the commands on its folder. */
  readonly data: string
  /** `demo` and `dev` use their own folders, not DATA_DIR. */
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
  program.commandsGroup('Your sites:')
  program
    .command('preview')
    .description('show a folder on this machine as visitors will get it, before it is published')
    .argument('<folder>', 'the folder to publish')
    .option('--port <number>', 'port to listen on; 0 for any free one', '8080')
    .option('--settings <file>', 'the site’s settings, as JSON')
    .option('--watch', 'reload when the folder or the settings change')
    .action(actions.preview)
  addSiteCommands(program, actions.runSiteCommand)
  program.commandsGroup('Running the service:')
  addServiceCommands(program, actions, defaults)
  addDataCommands(program, actions, defaults)
  addModerationCommands(program, actions.moderate, dataOf(defaults))
  return program.exitOverride(exitAsDocumented)
}

const dataOf = ({ data }: Defaults) =>
  `folder for everything that is stored (DATA_DIR, else ${data})`

/** Commands that run the service. */
function addServiceCommands(program: Command, actions: CommandActions, defaults: Defaults): void {
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
  command('serve', 'run the service on the real network', dataOf(defaults)).addOption(
    new Option('--supervised <json>').hideHelp(),
  )
  command(
    'dev',
    'run it on a network of its own, empty, reloading when its code changes',
    ownFolder(defaults.devData),
  )
  command(
    'demo',
    'run it on a network of its own, with a sample site',
    ownFolder(defaults.demoData),
  ).option('--json', 'print the line for programs, ready {…}, at a terminal too')
}

/** Commands on the data folder of a service. */
function addDataCommands(program: Command, actions: CommandActions, defaults: Defaults): void {
  const command = (nameAndArguments: string, description: string, parent = program): Command =>
    parent
      .command(nameAndArguments)
      .description(description)
      .option('--data <folder>', dataOf(defaults))
  command('status', 'show how the service is: accounts, sites, disk, queues, the last backup')
    .option('--json', 'print one JSON object')
    .action(actions.status)
  command('doctor', 'check settings, DNS, ports, certificates, clock, database and disk')
    .option('--json', 'print one JSON object')
    .action(actions.doctor)
  command('backup', 'back up the database and the blobs, also while the service runs')
    .argument('<folder>', 'where to; the next backup into the same folder copies only what is new')
    .option('--keep <number>', 'how many copies of the database stay there', '7')
    .option('--without-blobs', 'the database only: blobs come back from their owners’ servers')
    .option('--prune', 'delete blobs there that the service does not have any more')
    .action((folder, { withoutBlobs, ...options }) =>
      actions.backup(folder, { ...options, blobs: withoutBlobs !== true }),
    )
  command('restore', 'bring back a backup, while the service is stopped')
    .argument('<folder>', 'the folder of the backup')
    .option('--replace', 'move the data that is there aside')
    .action(actions.restore)
  program
    .command('blobs')
    .description('move the blobs of a service to another store')
    .command('copy')
    .description(
      'copy what is new from a folder or bucket to another one, also while the service runs',
    )
    .requiredOption('--from <store>', 'a folder such as data/blobs, or s3://… as in BLOBS_URL')
    .requiredOption('--to <store>', 'the same')
    .action(actions.blobsCopy)
  command('backfill', 'import the sites of every known account, and exit')
    .option('--all', 'import the sites of all accounts of the network (RELAY_URL)')
    .action(actions.backfill)
  command('repair', 'compare one site with its source, byte by byte, and repair the local copy')
    .argument('<site>', 'the owner and the name of the site: <did>/<rkey>')
    .action(actions.repair)
  command(
    'unread',
    'list sites and accounts that could not be read, why, and when the next attempt is',
  ).action(actions.unread)
  const admin = program.command('admin').description('manage the administrators of this service')
  command(
    'add <name>',
    'add an administrator; prompts for the password, or reads it from standard input',
    admin,
  ).action(actions.adminAdd)
  command(
    'passwd <name>',
    'change the password of an administrator, and sign them out everywhere',
    admin,
  ).action(actions.adminPasswd)
  command('remove <name>', 'remove an administrator, and sign them out everywhere', admin).action(
    actions.adminRemove,
  )
  command('list', 'list the administrators, and since when', admin).action(actions.adminList)
  command('keys', 'list or rotate the keys by which account servers know a public service')
    .addArgument(
      new Argument('[action]', 'rotate: create a new key, used for signing an hour later')
        .choices(['list', 'rotate'])
        .default('list'),
    )
    .action(actions.keys)
}
