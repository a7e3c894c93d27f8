import { z } from 'zod'
import { CommandError } from '#cli/command-error.ts'
import { domainTools } from './domain-tools.ts'
import { confirm, given, reads, replaces, site, type Tool } from './tool.ts'

const wait = z
  .url()
  .optional()
  .describe('Address of a Sitehost service, a site or a domain: waits until visitors get it there')

const listed = z.strictObject({})
const versions = z.strictObject({ site })
const deployed = z.strictObject({
  folder: z.string().describe('Path of the folder with the finished site'),
  site,
  into: z.string().optional().describe('Replaces only this folder of the site'),
  message: z.string().optional().describe('What changed, for the history'),
  preview: z
    .string()
    .optional()
    .describe('Alias, such as pr-12: publishes a preview, which visitors of the site do not get'),
  dry_run: z.boolean().default(false).describe('Only tells what would change, by path'),
  wait,
  confirm,
})
const restored = z.strictObject({
  site,
  version: z.string().describe('Its id, "previous", or the alias of a preview'),
  settings: z.boolean().default(false).describe('With the settings of then, too'),
  wait,
  confirm,
})
const verified = z.strictObject({
  address: z.url().describe('Of the page'),
  site: z.string().optional().describe('<handle>/<name>; needed where the host does not say it'),
})

/** The modules of each command are loaded when it runs. */
export const tools: readonly Tool[] = [
  {
    name: 'list_sites',
    title: 'List sites',
    description: 'Lists the sites of the signed-in account, as its repository has them.',
    input: listed,
    annotations: reads,
    run: async (_: z.output<typeof listed>, account, context) => {
      const { listSites } = await import('#cli/history/list-sites.ts')
      await listSites({ ...account, json: true }, context)
    },
  },
  {
    name: 'list_versions',
    title: 'List versions',
    description: 'Lists the versions and previews of a site, newest first.',
    input: versions,
    annotations: reads,
    run: async (input: z.output<typeof versions>, account, context) => {
      const { listVersions } = await import('#cli/history/list-versions.ts')
      await listVersions(input.site, { ...account, json: true }, context)
    },
  },
  {
    name: 'deploy',
    title: 'Publish a folder',
    description:
      'Publishes a folder as a site: the site becomes what the folder is. Files that look like credentials are refused. What was live stays a version, which restore makes live again. Use dry_run first to see what would change.',
    input: deployed,
    annotations: replaces,
    subject: (input: z.output<typeof deployed>) => input.site,
    run: async (input: z.output<typeof deployed>, account, context) => {
      const { deploy } = await import('#cli/deploy/deploy.ts')
      const { confirm: _, dry_run, folder, ...options } = input
      await deploy(
        folder,
        { ...account, ...given(options), ...(dry_run && { dryRun: true }), json: true },
        context,
      )
    },
  },
  {
    name: 'restore',
    title: 'Make a version live again',
    description: 'Makes an earlier version or a preview the live site. Nothing is sent.',
    input: restored,
    annotations: replaces,
    subject: (input: z.output<typeof restored>) => input.version,
    run: async (input: z.output<typeof restored>, account, context) => {
      const { restore } = await import('#cli/history/restore.ts')
      const { confirm: _, settings, version, ...options } = input
      const question = `Make version ${version} of ${input.site} live${settings ? ', with its settings' : ''}?`
      const answer = await context.console.ask(question, context.signal)
      if (answer !== 'yes') throw new CommandError('Nothing was changed.')
      await restore(
        version,
        { ...account, ...given(options), ...(settings && { settings: true }), json: true },
        context,
      )
    },
  },
  {
    name: 'verify',
    title: 'Verify a page',
    description:
      'Proves that a page, served by any host, is what the owner of the site signed: repository, record and content.',
    input: verified,
    annotations: reads,
    run: async ({ address, ...options }: z.output<typeof verified>, _, context) => {
      const { verify } = await import('#cli/verified/verify.ts')
      await verify(address, { ...given(options), json: true }, context)
    },
  },
  {
    name: 'explain',
    title: 'Explain an address',
    description:
      'Says why visitors of an address get what they get: which file, line of _redirects and headers, by what the site’s owner signed, and what its host answers.',
    input: verified,
    annotations: reads,
    run: async ({ address, ...options }: z.output<typeof verified>, _, context) => {
      const { explainAddress } = await import('#cli/verified/explain.ts')
      await explainAddress(address, { ...given(options), json: true }, context)
    },
  },
  ...domainTools,
]
