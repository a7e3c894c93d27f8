import type { DeployOptions } from '#cli/deploy/deploy-plan.ts'
import { account, json, type SiteCommand, wait } from './site-command.ts'

export const deployCommand: SiteCommand = {
  usage: 'deploy [folder]',
  description: 'publish a folder as a site, straight at your account’s server',
  arguments: [{ description: 'the folder with the finished site', default: '.' }],
  options: [
    ['--site <name>', 'which site (else "site" in the folder’s sitehost.json)'],
    ['--into <path>', 'replace only this folder of the site'],
    ['--message <text>', 'what changed, for the site’s history'],
    ['--preview [alias]', 'publish a preview, which visitors of the site do not get'],
    ['--dry-run', 'list what would change, by path, and publish nothing'],
    ['--yes', 'do not ask before most files of a site are removed'],
    ['--allow-home', 'publish the home folder, or one that it is in'],
    ['--allow-credentials', 'publish files that look like passwords or keys'],
    ['--verbose', 'name each file that is left out, and why'],
    account,
    json,
    ['--via <address>', 'let this Sitehost do it, where you are signed in; in a job by its token'],
    wait,
  ],
  about:
    'Acts for who signed in with "sitehost login", or in a job for SITEHOST_HANDLE with SITEHOST_APP_PASSWORD.',
  examples: [
    'sitehost deploy dist --site blog',
    'sitehost deploy --dry-run',
    'sitehost deploy docs/build --site project --into docs',
    'sitehost deploy dist --preview=pr-12 --json',
    'sitehost deploy dist --site blog --via https://sitehost.example',
    'sitehost deploy dist --wait',
    'sitehost deploy dist --wait https://blog.example.com',
  ],
  exitStatus: '0 published or unchanged, 1 failed, 2 called wrongly, 3 published but not yet live.',
  run: async (context, options: DeployOptions, folder: string) => {
    const { deploy } = await import('#cli/deploy/deploy.ts')
    await deploy(folder, options, context)
  },
}
