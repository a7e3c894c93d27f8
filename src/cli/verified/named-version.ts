import { AccountRepo } from '#atproto/repo/account-repo.ts'
import type { CommandContext } from '#cli/command-context.ts'
import { CommandError } from '#cli/command-error.ts'
import { explained } from '#cli/explained.ts'
import { findEntry, historyOf } from '#cli/history/site-history.ts'
import { ownNamespace } from '#site/namespace.ts'
import type { StoredVersion, VersionFacts } from '#site/record/plan-writes.ts'
import { parseVersionRecord } from '#site/record/version-record.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { isForeignName, namespaceOf } from '#site/site-name.ts'
import { parseVersionKey } from '#site/version-key.ts'
import {
  type KeptVersion,
  readLiveCid,
  readVerified,
  readVerifiedVersion,
  type VerifiedSite,
} from './read-verified.ts'

/** Of whatever sites of the account. */
const versionsMax = 5_000

/**
 * A version of a site, of whatever account, by its id, by `previous`, or by a preview's alias. Which one a name means is the word
 * of the account's server: its list is not signed, though the version that is returned is, with its alias. Throws CommandError.
 */
export async function readNamedVersion(
  address: SiteAddress,
  wanted: string,
  context: CommandContext,
): Promise<VerifiedSite> {
  if (isForeignName(address.name)) {
    const { name } = namespaceOf(address.name)
    throw new CommandError(`Sites of ${name} have no versions. Pull it without --at.`)
  }
  const id = parseVersionKey(wanted)
  if (id !== null) return await readVerified(address, id, context)
  const live = await readLiveCid(address, context)
  const versions = await listVersions(address, context)
  const sites = new Map(
    live === null ? [] : [[address.name, { cid: live, value: null, root: null }]],
  )
  const entry = findEntry(historyOf(address.name, { sites, versions }, context.now()), wanted)
  const found = await readVerifiedVersion(address.did, entry.id, context)
  const isNamed = wanted === 'previous' ? wasLive : ({ alias }: KeptVersion) => alias === wanted
  if (found.address.name === address.name && found.version && isNamed(found.version)) return found
  throw new CommandError(
    `The server of ${address.did} names ${entry.id} as ${wanted}, which its owner has not signed.`,
  )
}

const wasLive = ({ manifest }: KeptVersion): boolean => manifest !== undefined

/** Without their trees: an account may have thousands. */
async function listVersions(
  { did }: SiteAddress,
  { fetch, identities, signal }: CommandContext,
): Promise<ReadonlyMap<string, StoredVersion>> {
  const reading = { doing: 'reading', server: `The server of ${did}` } as const
  return await explained(signal, reading, async () => {
    const { pds } = await identities.resolve(did, { signal })
    const session = {
      did,
      handle: (path: string, init?: RequestInit) => fetch(new URL(path, pds), init),
    }
    const records = await new AccountRepo(did, async () => session, { signal }).listRecords(
      ownNamespace.version,
      {
        ...{ recordsMax: versionsMax, valuesMax: 0 },
        summarize: async (_, parse) => factsOf(await parse()),
      },
    )
    return new Map(
      records.map(({ rkey, cid, value }) => [
        rkey,
        { cid, value: null, version: value as VersionFacts | null },
      ]),
    )
  })
}

function factsOf(record: unknown): VersionFacts | null {
  const parsed = parseVersionRecord(record)
  if (!parsed.ok) return null
  const { root: _, ...facts } = parsed.version
  return facts
}
