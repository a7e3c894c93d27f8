import type { SiteOptions } from '#cli/account/own-sites.ts'
import type { MapOptions, ReleaseOptions } from '#cli/instance/domains.ts'
import type { InstanceOptions } from '#cli/instance/instance.ts'
import type { NewPublisherOptions } from '#cli/instance/publishers.ts'
import type { NewTokenOptions } from '#cli/instance/tokens.ts'
import type { VisitsOptions } from '#cli/instance/visits.ts'
import { account, instance, json, type SiteCommand, site } from './site-command.ts'
import { webhookCommands } from './webhook-commands.ts'

const about =
  'Asks a Sitehost at which you are signed in, with a token that your account’s server signs for it.'
const idArgument = { description: 'its id, as the list has it' }
const domainArgument = { description: 'a domain of yours, or a name that you claimed' }

/** What a Sitehost keeps for its accounts. */
export const instanceCommands: readonly SiteCommand[] = [
  {
    usage: 'domains',
    description: 'show or change the names and domains that lead to your sites',
    about,
    examples: [
      'sitehost domains claim blog --instance https://sitehost.example',
      'sitehost domains map blog --site blog',
      'sitehost domains add www.example.com',
    ],
    subcommands: [
      {
        usage: 'list',
        description: 'list them, with their sites',
        options: [instance, account, json],
        examples: ['sitehost domains list'],
        run: async (context, options: InstanceOptions) => {
          const { listDomains } = await import('#cli/instance/domains.ts')
          await listDomains(options, context)
        },
      },
      {
        usage: 'claim <name>',
        description: 'claim a name below the domain of the Sitehost',
        arguments: [{ description: 'such as blog' }],
        options: [instance, account, json],
        examples: ['sitehost domains claim blog'],
        run: async (context, options: InstanceOptions, name: string) => {
          const { claimName } = await import('#cli/instance/domains.ts')
          await claimName(name, options, context)
        },
      },
      {
        usage: 'add <domain>',
        description: 'add a domain of your own; prints the DNS records that it needs',
        arguments: [{ description: 'such as www.example.com' }],
        options: [instance, account, json],
        examples: ['sitehost domains add www.example.com'],
        run: async (context, options: InstanceOptions, domain: string) => {
          const { addDomain } = await import('#cli/instance/domains.ts')
          await addDomain(domain, options, context)
        },
      },
      {
        usage: 'verify <domain>',
        description: 'look up now whether the domain’s DNS records are there',
        arguments: [{ description: 'a domain that you added' }],
        options: [instance, account, json],
        examples: ['sitehost domains verify www.example.com'],
        exitStatus: '0 verified, 1 not verified, 2 called wrongly.',
        run: async (context, options: InstanceOptions, domain: string) => {
          const { verifyDomain } = await import('#cli/instance/domains.ts')
          await verifyDomain(domain, options, context)
        },
      },
      {
        usage: 'map <domain>',
        description: 'point it at a site',
        arguments: [domainArgument],
        options: [site, ['--none', 'at no site'], instance, account, json],
        examples: [
          'sitehost domains map www.example.com --site blog',
          'sitehost domains map blog --none',
        ],
        run: async (context, options: MapOptions, domain: string) => {
          const { mapDomain } = await import('#cli/instance/domains.ts')
          await mapDomain(domain, options, context)
        },
      },
      {
        usage: 'release <domain>',
        description: 'give it up',
        arguments: [domainArgument],
        options: [['--yes', 'on a terminal, do not ask before'], instance, account, json],
        examples: ['sitehost domains release blog'],
        run: async (context, options: ReleaseOptions, domain: string) => {
          const { releaseDomain } = await import('#cli/instance/domains.ts')
          await releaseDomain(domain, options, context)
        },
      },
    ],
  },
  {
    usage: 'publishers',
    description: 'show or change whose CI jobs may deploy a site, without a secret',
    about,
    examples: [
      'sitehost publishers add alice/site --branch main --site blog',
      'sitehost publishers add alice/site --preview --site blog',
    ],
    subcommands: [
      {
        usage: 'list',
        description: 'list them',
        options: [site, instance, account, json],
        examples: ['sitehost publishers list --site blog'],
        run: async (context, options: InstanceOptions & SiteOptions) => {
          const { listPublishers } = await import('#cli/instance/publishers.ts')
          await listPublishers(options, context)
        },
      },
      {
        usage: 'add <repository>',
        description: 'let jobs of a repository deploy the site',
        arguments: [{ description: 'its owner and name, such as alice/site' }],
        options: [
          ['--branch <name>', 'only jobs of this branch'],
          ['--ref <ref>', 'only jobs of this ref, such as refs/tags/v1'],
          ['--environment <name>', 'only jobs of this environment'],
          ['--preview', 'previews alone: nothing that goes live'],
          ['--issuer <forge>', 'github, gitlab, or what the tokens of your forge name as iss'],
          ...[site, instance, account, json],
        ],
        examples: [
          'sitehost publishers add alice/site --branch main --site blog',
          'sitehost publishers add alice/site --preview --issuer gitlab --site blog',
        ],
        run: async (context, options: NewPublisherOptions, repository: string) => {
          const { addPublisher } = await import('#cli/instance/publishers.ts')
          await addPublisher(repository, options, context)
        },
      },
      {
        usage: 'remove <id>',
        description: 'end what its jobs may do',
        arguments: [idArgument],
        options: [site, instance, account, json],
        examples: ['sitehost publishers remove 4f5c… --site blog'],
        run: async (context, options: InstanceOptions & SiteOptions, id: string) => {
          const { removePublisher } = await import('#cli/instance/publishers.ts')
          await removePublisher(id, options, context)
        },
      },
    ],
  },
  {
    usage: 'tokens',
    description: 'show or change the deploy tokens of a site',
    about,
    examples: ['sitehost tokens create "my forge" --site blog', 'sitehost tokens list --site blog'],
    subcommands: [
      {
        usage: 'list',
        description: 'list them, without their secrets',
        options: [site, instance, account, json],
        examples: ['sitehost tokens list --site blog'],
        run: async (context, options: InstanceOptions & SiteOptions) => {
          const { listTokens } = await import('#cli/instance/tokens.ts')
          await listTokens(options, context)
        },
      },
      {
        usage: 'create <name>',
        description: 'create one, and print its secret, which is shown once',
        arguments: [{ description: 'where it is used' }],
        options: [
          ['--preview', 'for previews alone: nothing that goes live'],
          ['--days <number>', 'how long it works, at most 365 (else 90)'],
          ...[site, instance, account, json],
        ],
        examples: [
          'sitehost tokens create "my forge" --site blog',
          'sitehost tokens create previews --preview --days 30 --site blog',
        ],
        run: async (context, options: NewTokenOptions, name: string) => {
          const { createToken } = await import('#cli/instance/tokens.ts')
          await createToken(name, options, context)
        },
      },
      {
        usage: 'revoke <id>',
        description: 'end one at once',
        arguments: [idArgument],
        options: [site, instance, account, json],
        examples: ['sitehost tokens revoke 4f5c… --site blog'],
        run: async (context, options: InstanceOptions & SiteOptions, id: string) => {
          const { revokeToken } = await import('#cli/instance/tokens.ts')
          await revokeToken(id, options, context)
        },
      },
    ],
  },
  webhookCommands,
  {
    usage: 'visits [site]',
    description: 'show how often a site was visited',
    about,
    arguments: [{ description: 'which site (else "site" in the sitehost.json of this folder)' }],
    options: [
      site,
      ['--days <number>', 'of how many days, at most 90 (else 30)'],
      ...[instance, account, json],
    ],
    examples: ['sitehost visits blog', 'sitehost visits blog --days 7'],
    run: async (context, options: VisitsOptions, name: string | undefined) => {
      const { showVisits } = await import('#cli/instance/visits.ts')
      await showVisits(name, options, context)
    },
  },
]
