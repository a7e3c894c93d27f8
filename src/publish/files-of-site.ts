import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import type { AccountRecords } from '#site/record/plan-writes.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { expandStored, type ReadContext } from './expand-stored.ts'

type SiteFiles =
  | { readonly ok: true; readonly files: ReadonlyMap<SitePath, FileNode> }
  /** A sentence for the owner. */
  | { readonly ok: false; readonly problem: string }

/** The files of a site as its records in the repository have them; none for a site without a record. Throws as `expandStored` does. */
export async function filesOfSite(
  address: SiteAddress,
  records: AccountRecords,
  context: ReadContext,
): Promise<SiteFiles> {
  const record = records.sites.get(address.name)
  if (record === undefined) return { ok: true, files: new Map() }
  if (record.root === null) return unreadable('its record is not one of a site')
  const expanded = await expandStored(address, record.root, records, context)
  if (expanded.ok) return expanded
  return unreadable(expanded.problems[0] ?? `the part ${expanded.missing[0]} is missing`)
}

const unreadable = (problem: string): SiteFiles => ({
  ok: false,
  problem: `The site cannot be changed, because it cannot be read: ${problem}. Send all of its files instead.`,
})
