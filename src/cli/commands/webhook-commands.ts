import type { InstanceOptions } from '#cli/instance/instance.ts'
import type { NewWebhookOptions } from '#cli/instance/webhooks.ts'
import { account, instance, json, type SiteCommand } from './site-command.ts'

const ofInstance = [instance, account, json]
const idArgument = { description: 'its id, as the list has it' }

/** Programs to which a Sitehost sends the events of somebody's sites. */
export const webhookCommands: SiteCommand = {
  usage: 'webhooks',
  description: 'show or change which programs receive the events of your sites',
  about:
    'Asks a Sitehost at which you are signed in, with a token that your account’s server signs for it.',
  examples: [
    'sitehost webhooks add https://hooks.example.com/sitehost --events site.published',
    'sitehost webhooks list',
  ],
  subcommands: [
    {
      usage: 'list',
      description: 'list them, without their secrets',
      options: ofInstance,
      examples: ['sitehost webhooks list'],
      run: async (context, options: InstanceOptions) => {
        const { listWebhooks } = await import('#cli/instance/webhooks.ts')
        await listWebhooks(options, context)
      },
    },
    {
      usage: 'add <url>',
      description: 'add one, and print its secret, which is shown once',
      arguments: [{ description: 'an https address' }],
      options: [
        ['--site <name>', 'only of this site (else of all your sites)'],
        ['--events <names>', 'only these, with commas between them (else all)'],
        ...ofInstance,
      ],
      examples: [
        'sitehost webhooks add https://hooks.example.com/sitehost',
        'sitehost webhooks add https://hooks.example.com/blog --site blog --events site.published,site.refused',
      ],
      run: async (context, options: NewWebhookOptions, url: string) => {
        const { addWebhook } = await import('#cli/instance/webhooks.ts')
        await addWebhook(url, options, context)
      },
    },
    {
      usage: 'test <id>',
      description: 'send it a test',
      arguments: [idArgument],
      options: ofInstance,
      examples: ['sitehost webhooks test 4f5c…'],
      run: async (context, options: InstanceOptions, id: string) => {
        const { testWebhook } = await import('#cli/instance/webhooks.ts')
        await testWebhook(id, options, context)
      },
    },
    {
      usage: 'log <id>',
      description: 'list its last deliveries',
      arguments: [idArgument],
      options: ofInstance,
      examples: ['sitehost webhooks log 4f5c…'],
      run: async (context, options: InstanceOptions, id: string) => {
        const { showDeliveries } = await import('#cli/instance/webhooks.ts')
        await showDeliveries(id, options, context)
      },
    },
    {
      usage: 'remove <id>',
      description: 'remove it, with its deliveries',
      arguments: [idArgument],
      options: ofInstance,
      examples: ['sitehost webhooks remove 4f5c…'],
      run: async (context, options: InstanceOptions, id: string) => {
        const { removeWebhook } = await import('#cli/instance/webhooks.ts')
        await removeWebhook(id, options, context)
      },
    },
    {
      usage: 'foreign',
      description: 'list your webhooks of other networks, and what each would be here',
      options: ofInstance,
      examples: ['sitehost webhooks foreign'],
      run: async (context, options: InstanceOptions) => {
        const { listForeignWebhooks } = await import('#cli/instance/foreign-webhooks.ts')
        await listForeignWebhooks(options, context)
      },
    },
    {
      usage: 'bring-over <key>',
      description: 'add one as a webhook of another network says, and print its secret',
      arguments: [{ description: 'of its record, as the list "foreign" has it' }],
      options: ofInstance,
      examples: ['sitehost webhooks bring-over 3mkq2vtpdbk2c'],
      run: async (context, options: InstanceOptions, key: string) => {
        const { bringWebhookOver } = await import('#cli/instance/foreign-webhooks.ts')
        await bringWebhookOver(key, options, context)
      },
    },
  ],
}
