import type { SitePath } from '#site/path.ts'
import { expandTree } from '#site/record/expand.ts'
import type { Directory, FileNode } from '#site/record/manifest.ts'
import { type PartUri, partUri } from '#site/record/part.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'

type SiteFiles =
  | { readonly ok: true; readonly files: ReadonlyMap<SitePath, FileNode> }
  /** A sentence for the owner. */
  | { readonly ok: false; readonly problem: string }

/** The files of a site as its records in the repository have them; none for a site without a record. */
export function filesOfSite({ did, name }: SiteAddress, records: AccountRecords): SiteFiles {
  const record = records.sites.get(name)
  if (record === undefined) return { ok: true, files: new Map() }
  if (record.root === null) return unreadable('its record is not one of a site')
  const parts = new Map<PartUri, Directory>()
  for (const [key, { root }] of records.parts) {
    if (root !== null) parts.set(partUri(did, key), root)
  }
  const expanded = expandTree(record.root, did, parts)
  if (expanded.ok) return expanded
  return unreadable(expanded.problems[0] ?? `the part ${expanded.missing[0]} is missing`)
}

const unreadable = (problem: string): SiteFiles => ({
  ok: false,
  problem: `The site cannot be changed, because it cannot be read: ${problem}. Send all of its files instead.`,
})
