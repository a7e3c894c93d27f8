import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { ownNamespace } from '#site/namespace.ts'
import { parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'

/**
 * The site that a person names, of whatever account: `at://<did>/place.sitehost.fs/<name>`, `<handle or DID>/<name>`, or only
 * the name of one of their own. Throws CommandError.
 */
export async function findNamedSite(
  text: string,
  { account }: { readonly account?: string },
  context: CommandContext,
): Promise<SiteAddress> {
  const [, owner, rkey = ''] =
    text.match(/^at:\/\/([^/]+)\/place\.sitehost\.fs\/([^/]+)$/) ??
    text.match(/^(?:([^/]+)\/)?([^/]+)$/) ??
    []
  const name = parseSiteName(rkey)
  if (name === null) {
    throw new UsageError(
      `${JSON.stringify(text)} is no site: expected <name>, <handle>/<name> or at://<did>/${ownNamespace.fs}/<name>.`,
    )
  }
  const { accounts, credentials, identities, signal } = context
  const who = owner ?? account ?? credentials.handle
  const saved = owner === undefined ? await accounts.find(who) : undefined
  if (saved !== undefined) return { did: saved.did, name }
  if (who === undefined) throw new UsageError(`Whose site? Name it <handle>/${name}, or sign in.`)
  const did = parseDid(who) ?? (await identities.didOfHandle(who, signal).catch(() => null))
  if (did === null) throw new CommandError(`There is no account ${who}.`)
  return { did, name }
}
