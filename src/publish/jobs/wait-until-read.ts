import type { WrittenVersion } from '#publish/write-site.ts'
import type { Did } from '#site/site-address.ts'
import type { Db } from '#store/database/database.ts'
import { findVersionRecord } from '#store/sites/version-records/version-records.ts'
import type { IngestWatch } from './ingest-watch.ts'

export type VersionReading =
  /** Visitors of its address get it. */
  | { readonly kind: 'read' }
  /** Not yet, if ingest continues. */
  | { readonly kind: 'pending' }
  /** Never. The problem is for its owner. */
  | { readonly kind: 'refused'; readonly problem: string }

/** Whether visitors get this version at its address, once ingest has read its record as it was written. */
export async function waitUntilRead(
  did: Did,
  { key, manifest }: Pick<WrittenVersion, 'key' | 'manifest'>,
  db: Db,
  watch: IngestWatch,
): Promise<VersionReading> {
  const item = { kind: 'version', did, site: key } as const
  const seen = await watch(item, async (): Promise<VersionReading | null> => {
    const record = await findVersionRecord(db, { did, key })
    if (record === null) return null
    if (record.state !== 'kept') return refused(record.problems)
    // An earlier state of the record: of a preview that is going live.
    if (record.manifest !== manifest) return null
    return record.hasContent ? { kind: 'read' } : refused(['it has expired'])
  })
  return seen ?? { kind: 'pending' }
}

const refused = ([problem = 'it cannot be read']: readonly string[]): VersionReading => ({
  kind: 'refused',
  problem,
})
