import type { Did } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { appendLabelChange } from './changes.ts'
import type { Db } from './database.ts'

/** Tells the edge that visitors of the versions of this account, or of one of its sites, may get something else now. */
export async function tellVersions(
  db: Db,
  { did, name }: { readonly did: Did; readonly name?: SiteName },
  now: number,
): Promise<void> {
  let kept = db
    .selectFrom('versionRecords')
    .select(['label', 'siteLabel'])
    .distinct()
    .where('did', '=', did)
  if (name !== undefined) kept = kept.where('site', '=', name)
  const rows = await kept.where('label', 'is not', null).execute()
  // A site that was never live has versions too, and aliases at its label.
  const labels = new Set([
    ...rows.map(({ siteLabel }) => siteLabel),
    ...rows.flatMap(({ label }) => label ?? []),
  ])
  for (const label of labels) await appendLabelChange(db, label, now)
}
