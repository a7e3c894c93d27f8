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
  let kept = db.selectFrom('versionRecords').select('label').distinct().where('did', '=', did)
  if (name !== undefined) kept = kept.where('site', '=', name)
  const rows = await kept.where('label', 'is not', null).execute()
  for (const { label } of rows) if (label !== null) await appendLabelChange(db, label, now)
}
