import type { Command, CommanderError } from 'commander'
import type { DeployOptions } from './deploy/deploy-plan.ts'

/** The action of each command for site owners. */
export interface SiteActions {
  readonly deploy: (folder: string, options: DeployOptions) => Promise<void>
}

/** The commands for site owners, in the group of the last `commandsGroup`. A mistake in the arguments exits with 2. */
export function addSiteCommands(program: Command, actions: SiteActions): void {
  program
    .command('deploy')
    .description('publish a folder as a site, straight at your account’s server')
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
    .option('--json', 'print the result as one JSON object')
    .option('--wait <address>', 'wait until visitors get it there: at a site’s address or a domain')
    .addHelpText(
      'after',
      `
Signs in as SITEHOST_HANDLE with SITEHOST_APP_PASSWORD, an app password of the account.

Examples:
  sitehost deploy dist --site blog
  sitehost deploy --dry-run
  sitehost deploy docs/build --site project --into docs
  sitehost deploy dist --preview=pr-12 --json
  sitehost deploy dist --wait https://blog.example.com

Exit status: 0 published or unchanged, 1 failed, 2 called wrongly, 3 published but not yet live.`,
    )
    .exitOverride(exitAsDocumented)
    .action(actions.deploy)
}

function exitAsDocumented({ exitCode }: CommanderError): never {
  process.exit(exitCode === 0 ? 0 : 2)
}
