import type { LoginOptions } from '#cli/account/login.ts'
import type { LogoutOptions } from '#cli/account/logout.ts'
import { json, type SiteCommand } from './site-command.ts'

export const signInCommands: readonly SiteCommand[] = [
  {
    usage: 'login [handle]',
    description: 'sign in at your account’s server, with a browser',
    arguments: [{ description: 'your handle or DID, or your account’s server' }],
    options: [['--no-browser', 'only print the address, do not open it'], json],
    about: 'The browser may be on another machine: paste the address that it ends on.',
    examples: ['sitehost login alice.example.com', 'sitehost login alice.example.com --no-browser'],
    run: async (context, options: LoginOptions, handle: string | undefined) => {
      const { login } = await import('#cli/account/login.ts')
      await login(handle, options, context)
    },
  },
  {
    usage: 'logout [handle]',
    description: 'end a sign-in, also at your account’s server',
    arguments: [{ description: 'whose; else that of the account that commands act for' }],
    options: [['--all', 'of all accounts'], json],
    examples: ['sitehost logout', 'sitehost logout alice.example.com', 'sitehost logout --all'],
    run: async (context, options: LogoutOptions, handle: string | undefined) => {
      const { logout } = await import('#cli/account/logout.ts')
      await logout(handle, options, context)
    },
  },
  {
    usage: 'whoami',
    description: 'say for which account commands act, and who is signed in',
    options: [json],
    examples: ['sitehost whoami', 'sitehost whoami --json'],
    run: async (context, options: { readonly json?: true }) => {
      const { whoami } = await import('#cli/account/whoami.ts')
      await whoami(options, context)
    },
  },
]
