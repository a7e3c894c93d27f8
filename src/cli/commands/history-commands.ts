import type { AccountOptions } from '#cli/command-context.ts'
import type { ForgetOptions } from '#cli/history/forget.ts'
import type { RestoreOptions } from '#cli/history/restore.ts'
import { account, json, type SiteCommand, site, wait } from './site-command.ts'

const asVersion = 'its id, "previous", or the alias of a preview'

export const historyCommands: readonly SiteCommand[] = [
  {
    usage: 'sites',
    description: 'list the sites of your account',
    options: [account, json],
    examples: ['sitehost sites', 'sitehost sites --json'],
    run: async (context, options: AccountOptions) => {
      const { listSites } = await import('#cli/history/list-sites.ts')
      await listSites(options, context)
    },
  },
  {
    usage: 'versions [site]',
    description: 'list the versions and previews of a site, newest first',
    arguments: [{ description: 'which site (else "site" in the sitehost.json of this folder)' }],
    options: [account, json],
    examples: ['sitehost versions blog', 'sitehost versions blog --json'],
    run: async (context, options: AccountOptions, name: string | undefined) => {
      const { listVersions } = await import('#cli/history/list-versions.ts')
      await listVersions(name, options, context)
    },
  },
  {
    usage: 'rollback <version>',
    description: 'make an earlier version live again; nothing is sent',
    arguments: [{ description: asVersion }],
    options: [site, ['--settings', 'with the settings of then, too'], wait, account, json],
    examples: [
      'sitehost rollback previous --site blog',
      'sitehost rollback 3mkq2vtpdbk2c --site blog --settings',
    ],
    run: async (context, options: RestoreOptions, version: string) => {
      const { restore } = await import('#cli/history/restore.ts')
      await restore(version, options, context)
    },
  },
  {
    usage: 'promote <preview>',
    description: 'make a preview the live site; nothing is sent',
    arguments: [{ description: 'its alias or id' }],
    options: [site, ['--settings', 'with the settings of the preview, too'], wait, account, json],
    examples: ['sitehost promote pr-12 --site blog'],
    run: async (context, options: RestoreOptions, preview: string) => {
      const { promote } = await import('#cli/history/restore.ts')
      await promote(preview, options, context)
    },
  },
  {
    usage: 'forget <version>',
    description: 'delete a version that is not live, and what only it names, for ever',
    arguments: [{ description: asVersion }],
    options: [site, ['--yes', 'on a terminal, do not ask before'], account, json],
    examples: [
      'sitehost forget 3mkq2vtpdbk2c --site blog',
      'sitehost forget pr-12 --site blog --yes',
    ],
    run: async (context, options: ForgetOptions, version: string) => {
      const { forget } = await import('#cli/history/forget.ts')
      await forget(version, options, context)
    },
  },
]
