import type { AccountRepo } from '#atproto/repo/account-repo.ts'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { expandedEntriesMax } from '#site/limits.ts'
import { type Namespace, ownNamespace } from '#site/namespace.ts'
import { type ExpandResult, entriesIn, expandTree } from '#site/record/expand.ts'
import type { Directory } from '#site/record/manifest.ts'
import { type PartUri, parsePart, partKeyOf, partUri } from '#site/record/part.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { SiteConflictError } from './commit-on-head.ts'
import { type Patience, withPatience } from './server-patience.ts'

const partsAtOnce = 4

export interface ReadContext extends Patience {
  readonly repo: AccountRepo
  readonly signal: AbortSignal
}

/**
 * The files of a tree in the account's repository. Parts whose values `readRepository` left out are read by their keys, and
 * kept until the tree is expanded. Throws SiteConflictError when such a part is not the one that was listed, and what
 * calls to the account's server throw.
 */
export async function expandStored(
  address: SiteAddress,
  root: Directory,
  { parts }: Pick<AccountRecords, 'parts'>,
  context: ReadContext,
  namespace: Namespace = ownNamespace,
): Promise<ExpandResult> {
  const { did } = address
  const roots = new Map<PartUri, Directory>()
  for (const [key, { root }] of parts)
    if (root !== null) roots.set(partUri(did, key, namespace), root)
  const asked = new Set<string>()
  let entries = 0
  for (;;) {
    const expanded = expandTree(root, did, roots, namespace)
    const missing = expanded.ok ? [] : expanded.missing
    const keys = missing.map((uri) => partKeyOf(uri, did, namespace) ?? '')
    const unread = keys.filter((key) => parts.has(key) && !asked.has(key))
    if (unread.length === 0) return expanded
    await mapAtOnce(unread, { atOnce: partsAtOnce, signal: context.signal }, async (key) => {
      asked.add(key)
      if (entries > expandedEntriesMax) return
      const part = await readPart(address, key, parts.get(key)?.cid ?? '', context, namespace)
      if (part === null) return
      entries += entriesIn(part)
      roots.set(partUri(did, key, namespace), part)
    })
    if (entries > expandedEntriesMax) {
      const problems = [`the site has over ${expandedEntriesMax} entries`]
      return { ok: false, missing: [], problems }
    }
  }
}

/** Null if it cannot be parsed. */
async function readPart(
  address: SiteAddress,
  key: string,
  listedCid: string,
  { repo, ...patience }: ReadContext,
  namespace: Namespace,
): Promise<Directory | null> {
  const read = () => repo.findRecord(namespace.subfs, key)
  const found = await withPatience(read, patience)
  // Some servers do not return the CID.
  const isListed = found !== null && (found.cid === '' || found.cid === listedCid)
  if (!isListed) throw new SiteConflictError(address)
  const parsed = parsePart(found.value, namespace)
  return parsed.ok ? parsed.part.root : null
}
