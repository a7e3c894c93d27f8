import { readFile } from 'node:fs/promises'
import type { AccountSession } from '#atproto/oauth/account-sessions.ts'
import { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { AccountOptions, CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import type { RepoContext } from '#publish/commit-on-head.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { siteFileName } from '#site/upload/path-rules.ts'
import { parseSiteFile } from '#site/upload/site-file.ts'
import { openAccount, type SignedInAccount } from './account.ts'

export interface SiteOptions extends AccountOptions {
  readonly site?: string
}

/** The repository of the account that a command acts for. Throws CommandError. */
export async function openRepo(
  options: AccountOptions,
  context: CommandContext,
): Promise<RepoContext> {
  return repoOf(await openAccount(options, context), context)
}

function repoOf({ identity, session }: SignedInAccount, context: CommandContext): RepoContext {
  const { now, signal } = context
  return { repo: new AccountRepo(identity.did, async () => session, { signal }), now, signal }
}

/** The site that a command names, else that of the `sitehost.json` in this folder; and its repository. Throws CommandError. */
export async function openSite(
  options: SiteOptions,
  context: CommandContext,
): Promise<{ address: SiteAddress; parts: RepoContext; session: AccountSession }> {
  const name = await namedSite(options)
  const account = await openAccount(options, context)
  const parts = repoOf(account, context)
  return { address: { did: parts.repo.did, name }, parts, session: account.session }
}

/** The site that a command names, else that of the `sitehost.json` in this folder. Throws CommandError. */
export async function namedSite({ site }: Pick<SiteOptions, 'site'>): Promise<SiteName> {
  const name = siteOf(site) ?? (await siteHere())
  if (name !== null) return name
  throw new UsageError(
    `Which site? Name it, with --site where the command has that option, or be in a folder with "site" in its ${siteFileName}.`,
  )
}

/** Throws UsageError for a name that no site can have. */
export function siteOf(name: string | undefined): SiteName | null {
  if (name === undefined) return null
  const site = parseSiteName(name)
  if (site !== null) return site
  throw new UsageError(
    `${JSON.stringify(name)} cannot be the name of a site: 1 to 512 of A-Z a-z 0-9 . - _ : ~ can.`,
  )
}

async function siteHere(): Promise<SiteName | null> {
  const text = await readFile(siteFileName, 'utf8').catch(() => null)
  if (text === null) return null
  const parsed = parseSiteFile(text)
  if (!parsed.ok) throw new CommandError(`${siteFileName}, ${parsed.problem}.`)
  return parsed.file.site
}
