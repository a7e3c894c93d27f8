import type { SiteOptions } from '#cli/account/own-sites.ts'
import { account, json, type SiteCommand, site } from './site-command.ts'

export const settingsCommand: SiteCommand = {
  usage: 'settings',
  description: 'show or change the settings of a site',
  examples: [
    'sitehost settings get --site blog',
    'sitehost settings set --site blog cleanUrls=true custom404=404.html',
    'sitehost settings set --site blog custom404=',
    'sitehost settings edit --site blog',
  ],
  subcommands: [
    {
      usage: 'get',
      description: 'print them as JSON',
      options: [site, account, ['--json', 'on one line']],
      examples: ['sitehost settings get --site blog'],
      run: async (context, options: SiteOptions) => {
        const { getSettings } = await import('#cli/settings/site-settings.ts')
        await getSettings(options, context)
      },
    },
    {
      usage: 'set <field=value...>',
      description: 'set some of them; the others stay',
      arguments: [{ description: 'values are JSON or strings; an empty one removes the field' }],
      options: [site, account, json],
      examples: ['sitehost settings set --site blog cleanUrls=true custom404=404.html'],
      run: async (context, options: SiteOptions, assignments: readonly string[]) => {
        const { setSettings } = await import('#cli/settings/site-settings.ts')
        await setSettings(assignments, options, context)
      },
    },
    {
      usage: 'edit',
      description: 'open them in your editor (VISUAL, EDITOR), and write them when they are valid',
      options: [site, account, json],
      examples: ['sitehost settings edit --site blog', 'EDITOR=nano sitehost settings edit'],
      run: async (context, options: SiteOptions) => {
        const { editSettings } = await import('#cli/settings/edit-settings.ts')
        await editSettings(options, context)
      },
    },
  ],
}
