import type { CommandContext } from '#cli/command-context.ts'
import { CommandError, UsageError } from '#cli/command-error.ts'
import { ownNamespace } from '#site/namespace.ts'
import { parseDid, type SiteAddress } from '#site/site-address.ts'
import { parseAnySiteName, type SiteName } from '#site/site-name.ts'

/**
 * The site that a person names, of whatever account: its `at://` address, `<handle or DID>/<name>`, or only the name of one of
 * their own. That of a foreign site has its collection: `place.wisp.fs/blog`. Throws CommandError.
 */
export async function findNamedSite(
  text: string,
  { account }: { readonly account?: string },
  context: CommandContext,
): Promise<SiteAddress> {
  const parsed = parseNamedSite(text)
  if (parsed === null) {
    throw new UsageError(
      `${JSON.stringify(text)} is no site: expected <name>, <handle>/<name> or at://<did>/${ownNamespace.fs}/<name>.`,
    )
  }
  const { name, owner } = parsed
  const { accounts, credentials, identities, signal } = context
  const who = owner ?? account ?? credentials.handle
  const saved = owner === undefined ? await accounts.find(who) : undefined
  if (saved !== undefined) return { did: saved.did, name }
  if (who === undefined) throw new UsageError(`Whose site? Name it <handle>/${name}, or sign in.`)
  const did = parseDid(who) ?? (await identities.didOfHandle(who, signal).catch(() => null))
  if (did === null) throw new CommandError(`There is no account ${who}.`)
  return { did, name }
}

interface NamedSite {
  readonly owner: string | undefined
  readonly name: SiteName
}

function parseNamedSite(text: string): NamedSite | null {
  const [, ofUri] = text.match(/^at:\/\/([^/]+\/[^/]+\/[^/]+)$/) ?? []
  // No handle ends in `.fs`: the name of a foreign site is one without an owner.
  const alone = ofUri === undefined ? parseAnySiteName(text) : null
  if (alone !== null) return { owner: undefined, name: alone }
  const [, owner, path = ''] = (ofUri ?? text).match(/^([^/]+)\/(.+)$/) ?? []
  const isOwn = ofUri !== undefined && path.startsWith(`${ownNamespace.fs}/`)
  const name = parseAnySiteName(isOwn ? path.slice(ownNamespace.fs.length + 1) : path)
  return owner === undefined || name === null ? null : { owner, name }
}
