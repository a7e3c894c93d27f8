import type { Identity } from '#atproto/identity/identity.ts'
import { listRecords, listMethod as method } from './list-records.ts'
import { publicAnswer, type QueryContext } from './public-query.ts'

interface Collection {
  readonly collection: string
  /** Further records are left out. */
  readonly recordsMax: number
}

/** The record keys of a collection as the account's server lists them, unproven. Throws as `publicQuery` does. */
export async function listRecordKeys(
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  collection: Collection,
  context: QueryContext,
): Promise<string[]> {
  const keys = new Set<string>()
  const pages = listRecords({ did, ...collection }, (parameters, bytesMax) =>
    publicAnswer({ server: pds, method, parameters, bytesMax }, context),
  )
  for await (const page of pages) {
    const known = keys.size
    for (const { rkey } of page) keys.add(rkey)
    // A server that repeats itself has no more records, whatever its cursor says.
    if (keys.size === known) break
  }
  return [...keys]
}
