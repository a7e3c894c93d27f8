import type { AccountOptions } from '#cli/command-context.ts'
import { account, json, type SiteCommand } from './site-command.ts'

export const diagnoseCommand: SiteCommand = {
  usage: 'diagnose [address]',
  description: 'check sign-in, handle, account server, clock, and the host of a site',
  arguments: [{ description: 'of a site, or a domain that has to lead to one' }],
  options: [account, json],
  examples: [
    'sitehost diagnose',
    'sitehost diagnose blog.example.com',
    'sitehost diagnose https://blog.example.com --json',
  ],
  exitStatus: '0 nothing is in the way, 1 something is, 2 called wrongly.',
  run: async (context, options: AccountOptions, address: string | undefined) => {
    const { diagnose } = await import('#cli/diagnosis/diagnose.ts')
    await diagnose(address, options, context)
  },
}
