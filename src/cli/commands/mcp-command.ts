import type { AccountOptions } from '#cli/command-context.ts'
import { account, type SiteCommand } from './site-command.ts'

export const mcpCommand: SiteCommand = {
  usage: 'mcp',
  description: 'offer these commands to a program by the Model Context Protocol',
  options: [account],
  about:
    'A program such as an editor or an assistant starts it, and talks with it on standard input and output.',
  examples: ['sitehost mcp', 'sitehost mcp --account alice.example.com'],
  run: async (context, options: AccountOptions) => {
    const { serveMcp } = await import('#cli/mcp/serve-mcp.ts')
    await serveMcp(options, context)
  },
}
