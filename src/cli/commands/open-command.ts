import type { OpenOptions } from '#cli/instance/open.ts'
import { account, instance, json, type SiteCommand } from './site-command.ts'

export const openCommand: SiteCommand = {
  usage: 'open [site]',
  description: 'open the address of a site in your browser',
  arguments: [{ description: 'which site (else "site" in the sitehost.json of this folder)' }],
  options: [['--print', 'only print the address'], instance, account, json],
  about:
    'Asks a Sitehost at which you are signed in for the address. Without a terminal it only prints it.',
  examples: [
    'sitehost open blog --instance https://sitehost.example',
    'sitehost open --print',
    'sitehost open blog --json',
  ],
  exitStatus: '0 opened or printed, 1 failed, 2 called wrongly, 3 not live there yet.',
  run: async (context, options: OpenOptions, site: string | undefined) => {
    const { openSiteAddress } = await import('#cli/instance/open.ts')
    await openSiteAddress(site, options, context)
  },
}
