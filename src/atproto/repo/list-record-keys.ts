import type { Identity } from '#atproto/identity/identity.ts'
import { publicAnswer, type QueryContext } from './public-query.ts'
import { listMethod as method, pageBytesMax, recordsPerPage } from './record-page.ts'
import { recordPages } from './record-pages.ts'

interface Collection {
  readonly collection: string
  /** Those that come after so many are left out. */
  readonly recordsMax: number
}

/**
 * The keys of an account's records of one collection, as its server lists them: its word, no proof. Throws
 * what `publicQuery` throws.
 */
export async function listRecordKeys(
  { did, pds }: Pick<Identity, 'did' | 'pds'>,
  { collection, recordsMax }: Collection,
  context: QueryContext,
): Promise<string[]> {
  const keys = new Set<string>()
  const fixed = { repo: did, collection, limit: String(recordsPerPage) }
  const ask = (cursor: string | null) => {
    const parameters = cursor === null ? fixed : { ...fixed, cursor }
    return publicAnswer({ server: pds, method, parameters, bytesMax: pageBytesMax }, context)
  }
  for await (const page of recordPages(ask, recordsMax)) {
    const known = keys.size
    for (const { rkey } of page) keys.add(rkey)
    // A server that lists the same again has come to its end, whatever it says.
    if (keys.size === known) break
  }
  return [...keys]
}
