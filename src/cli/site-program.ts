import { Argument, type Command, type CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { completionOf, shells } from './completion.ts'
import type { DeployOptions } from './deploy/deploy-plan.ts'

/** Runs a command for site owners: its modules are loaded only then. Sets the exit code, and throws nothing. */
export type RunSiteCommand = (command: (context: CommandContext) => Promise<void>) => Promise<void>

/** The commands for site owners, in the group of the last `commandsGroup`. A mistake in the arguments exits with 2. */
export function addSiteCommands(program: Command, run: RunSiteCommand): void {
  const add = (nameAndArguments: string, description: string, help: string): Command =>
    program
      .command(nameAndArguments)
      .description(description)
      .addHelpText('after', help)
      .exitOverride(exitAsDocumented)
  addDeploy(add, run)
  addSignIns(add, run)
  addHistory(add, run)
  addSettings(add, run)
  addVerified(add, run)
  addCompletion(add, program)
}

/** Names of the commands: `bin/sitehost` lists them, too. */
type Add = (nameAndArguments: string, description: string, help: string) => Command

function addDeploy(add: Add, run: RunSiteCommand): void {
  add(
    'deploy',
    'publish a folder as a site, straight at your account’s server',
    `
Acts for who signed in with "sitehost login", or in a job for SITEHOST_HANDLE with SITEHOST_APP_PASSWORD.

Examples:
  sitehost deploy dist --site blog
  sitehost deploy --dry-run
  sitehost deploy docs/build --site project --into docs
  sitehost deploy dist --preview=pr-12 --json
  sitehost deploy dist --wait https://blog.example.com

Exit status: 0 published or unchanged, 1 failed, 2 called wrongly, 3 published but not yet live.`,
  )
    .argument('[folder]', 'the folder with the finished site', '.')
    .option('--site <name>', 'which site (else "site" in the folder’s sitehost.json)')
    .option('--into <path>', 'replace only this folder of the site')
    .option('--message <text>', 'what changed, for the site’s history')
    .option('--preview [alias]', 'publish a preview, which visitors of the site do not get')
    .option('--dry-run', 'list what would change, by path, and publish nothing')
    .option('--yes', 'do not ask before most files of a site are removed')
    .option('--allow-home', 'publish the home folder, or one that it is in')
    .option('--allow-credentials', 'publish files that look like passwords or keys')
    .option('--verbose', 'name each file that is left out, and why')
    .option(...account)
    .option(...json)
    .option('--wait <address>', 'wait until visitors get it there: at a site’s address or a domain')
    .action((folder: string, options: DeployOptions) =>
      run(async (context) => {
        const { deploy } = await import('./deploy/deploy.ts')
        await deploy(folder, options, context)
      }),
    )
}

const account = ['--account <handle>', 'for which signed-in account (else the last one)'] as const
const json = ['--json', 'print the result as one JSON object'] as const

function addSignIns(add: Add, run: RunSiteCommand): void {
  add(
    'login',
    'sign in at your account’s server, with a browser',
    `
The browser may be on another machine: paste the address that it ends on.

Examples:
  sitehost login alice.example.com
  sitehost login alice.example.com --no-browser`,
  )
    .argument('[handle]', 'your handle or DID, or your account’s server')
    .option('--no-browser', 'only print the address, do not open it')
    .option(...json)
    .action((handle, options) =>
      run(async (context) => {
        const { login } = await import('./account/login.ts')
        await login(handle, options, context)
      }),
    )
  add(
    'logout',
    'end a sign-in, also at your account’s server',
    `
Examples:
  sitehost logout
  sitehost logout alice.example.com
  sitehost logout --all`,
  )
    .argument('[handle]', 'whose; else that of the account that commands act for')
    .option('--all', 'of all accounts')
    .option(...json)
    .action((handle, options) =>
      run(async (context) => {
        const { logout } = await import('./account/logout.ts')
        await logout(handle, options, context)
      }),
    )
  add(
    'whoami',
    'say for which account commands act, and who is signed in',
    `
Examples:
  sitehost whoami
  sitehost whoami --json`,
  )
    .option(...json)
    .action((options) =>
      run(async (context) => {
        const { whoami } = await import('./account/whoami.ts')
        await whoami(options, context)
      }),
    )
}

const site = [
  '--site <name>',
  'which site (else "site" in the sitehost.json of this folder)',
] as const
const wait = [
  '--wait <address>',
  'wait until visitors get it there: at a site’s address or a domain',
] as const
const asVersion = 'its id, "previous", or the alias of a preview'

function addHistory(add: Add, run: RunSiteCommand): void {
  add(
    'sites',
    'list the sites of your account',
    `
Examples:
  sitehost sites
  sitehost sites --json`,
  )
    .option(...account)
    .option(...json)
    .action((options) =>
      run(async (context) => {
        const { listSites } = await import('./history/list-sites.ts')
        await listSites(options, context)
      }),
    )
  add(
    'versions',
    'list the versions and previews of a site, newest first',
    `
Examples:
  sitehost versions blog
  sitehost versions blog --json`,
  )
    .argument('[site]', 'which site (else "site" in the sitehost.json of this folder)')
    .option(...account)
    .option(...json)
    .action((name, options) =>
      run(async (context) => {
        const { listVersions } = await import('./history/list-versions.ts')
        await listVersions(name, options, context)
      }),
    )
  add(
    'rollback',
    'make an earlier version live again; nothing is sent',
    `
Examples:
  sitehost rollback previous --site blog
  sitehost rollback 3mkq2vtpdbk2c --site blog --settings`,
  )
    .argument('<version>', asVersion)
    .option(...site)
    .option('--settings', 'with the settings of then, too')
    .option(...wait)
    .option(...account)
    .option(...json)
    .action((version, options) =>
      run(async (context) => {
        const { restore } = await import('./history/restore.ts')
        await restore(version, options, context)
      }),
    )
  add(
    'promote',
    'make a preview the live site; nothing is sent',
    `
Example:
  sitehost promote pr-12 --site blog`,
  )
    .argument('<preview>', 'its alias or id')
    .option(...site)
    .option('--settings', 'with the settings of the preview, too')
    .option(...wait)
    .option(...account)
    .option(...json)
    .action((preview, options) =>
      run(async (context) => {
        const { promote } = await import('./history/restore.ts')
        await promote(preview, options, context)
      }),
    )
  add(
    'forget',
    'delete a version that is not live, and what only it names, for ever',
    `
Examples:
  sitehost forget 3mkq2vtpdbk2c --site blog
  sitehost forget pr-12 --site blog --yes`,
  )
    .argument('<version>', asVersion)
    .option(...site)
    .option('--yes', 'on a terminal, do not ask before')
    .option(...account)
    .option(...json)
    .action((version, options) =>
      run(async (context) => {
        const { forget } = await import('./history/forget.ts')
        await forget(version, options, context)
      }),
    )
}

function addSettings(add: Add, run: RunSiteCommand): void {
  const settings = add(
    'settings',
    'show or change the settings of a site',
    `
Examples:
  sitehost settings get --site blog
  sitehost settings set --site blog cleanUrls=true custom404=404.html
  sitehost settings set --site blog custom404=`,
  )
  settings
    .command('get')
    .description('print them as JSON')
    .exitOverride(exitAsDocumented)
    .option(...site)
    .option(...account)
    .option('--json', 'on one line')
    .action((options) =>
      run(async (context) => {
        const { getSettings } = await import('./settings/site-settings.ts')
        await getSettings(options, context)
      }),
    )
  settings
    .command('set')
    .description('set some of them; the others stay')
    .argument('<field=value...>', 'values are JSON or strings; an empty one removes the field')
    .exitOverride(exitAsDocumented)
    .option(...site)
    .option(...account)
    .option(...json)
    .action((assignments, options) =>
      run(async (context) => {
        const { setSettings } = await import('./settings/site-settings.ts')
        await setSettings(assignments, options, context)
      }),
    )
}

function addVerified(add: Add, run: RunSiteCommand): void {
  add(
    'pull',
    'write the files of a site into a folder, each verified against the signed record',
    `
Needs no sign-in.

Examples:
  sitehost pull blog
  sitehost pull alice.example.com/blog copy
  sitehost pull blog old --at 3mkq2vtpdbk2c`,
  )
    .argument('<site>', 'a name, <handle>/<name>, or at://<did>/place.sitehost.fs/<name>')
    .argument('[folder]', 'a new or empty folder (else one with the name of the site)')
    .option('--at <id>', 'a version of it, instead of what is live')
    .option(...account)
    .option(...json)
    .action((name, folder, options) =>
      run(async (context) => {
        const { pull } = await import('./verified/pull.ts')
        await pull(name, folder, options, context)
      }),
    )
  add(
    'verify',
    'prove that a page, served by any host, is what the site’s owner signed',
    `
Needs no sign-in.

Examples:
  sitehost verify https://blog.example.com/about
  sitehost verify https://mirror.example.net/ --site alice.example.com/blog

Exit status: 0 it is, 1 it is not, 2 called wrongly.`,
  )
    .argument('<address>', 'of the page')
    .option('--site <site>', 'which site it has to be; needed where the host does not say')
    .option(...json)
    .action((address, options) =>
      run(async (context) => {
        const { verify } = await import('./verified/verify.ts')
        await verify(address, options, context)
      }),
    )
}

function addCompletion(add: Add, program: Command): void {
  add(
    'completion',
    'print a script by which your shell completes commands and options',
    `
Examples:
  sitehost completion bash >> ~/.bashrc
  sitehost completion zsh >> ~/.zshrc
  sitehost completion fish > ~/.config/fish/completions/sitehost.fish`,
  )
    .addArgument(new Argument('<shell>', 'bash, zsh or fish').choices(shells))
    .action((shell) => {
      process.stdout.write(`${completionOf(program, shell)}\n`)
    })
}

function exitAsDocumented({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : 2)
}
