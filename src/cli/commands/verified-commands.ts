import type { ExplainOptions } from '#cli/verified/explain.ts'
import type { PullOptions } from '#cli/verified/pull.ts'
import type { VerifyOptions } from '#cli/verified/verify.ts'
import { account, type CommandOption, json, type SiteCommand } from './site-command.ts'

const siteOfHost: CommandOption = [
  '--site <site>',
  'which site it has to be; needed where the host does not say',
]

export const verifiedCommands: readonly SiteCommand[] = [
  {
    usage: 'pull <site> [folder]',
    description: 'write the files of a site into a folder, each verified against the signed record',
    arguments: [
      {
        description:
          'a name, <handle>/<name>, or at://<did>/place.sitehost.fs/<name>; one of another network is place.wisp.fs/<name>',
      },
      { description: 'a new or empty folder (else one with the name of the site)' },
    ],
    options: [
      ['--at <version>', 'instead of what is live: its id, "previous", or the alias of a preview'],
      ['--dot-files', 'write names that begin with a dot, too: only of a site that you trust'],
      account,
      json,
    ],
    about:
      'Needs no sign-in. Left out and listed, because programs would obey them: what deploy leaves out, names that begin with a dot (except ' +
      '.well-known), files named HEAD, sitehost.json.',
    examples: [
      'sitehost pull blog',
      'sitehost pull alice.example.com/blog copy',
      'sitehost pull blog old --at previous',
      'sitehost pull alice.example.com/place.wisp.fs/blog',
    ],
    exitStatus: '0 the whole site, 1 failed, 2 called wrongly, 3 written, but files were left out.',
    run: async (context, options: PullOptions, name: string, folder: string | undefined) => {
      const { pull } = await import('#cli/verified/pull.ts')
      await pull(name, folder, options, context)
    },
  },
  {
    usage: 'verify <address>',
    description: 'prove that a page, served by any host, is what the site’s owner signed',
    arguments: [{ description: 'of the page' }],
    options: [siteOfHost, ['--all', 'every file of the site at that host'], json],
    about: 'Needs no sign-in.',
    examples: [
      'sitehost verify https://blog.example.com/about',
      'sitehost verify https://mirror.example.net/ --site alice.example.com/blog --all',
    ],
    exitStatus: '0 it is, 1 it is not, 2 called wrongly.',
    run: async (context, options: VerifyOptions, address: string) => {
      const { verify } = await import('#cli/verified/verify.ts')
      await verify(address, options, context)
    },
  },
  {
    usage: 'explain <address>',
    description: 'say why visitors of an address get what they get: which file, rule and headers',
    arguments: [{ description: 'of a page' }],
    options: [siteOfHost, json],
    about: 'Needs no sign-in.',
    examples: [
      'sitehost explain https://blog.example.com/old-page',
      'sitehost explain https://blog.example.com/about --json',
    ],
    run: async (context, options: ExplainOptions, address: string) => {
      const { explainAddress } = await import('#cli/verified/explain.ts')
      await explainAddress(address, options, context)
    },
  },
]
