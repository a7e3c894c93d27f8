import { ownField } from '#site/own-fields.ts'
import type { Identity } from './identity.ts'
import { publicQuery, type QueryContext } from './public-query.ts'

/** A record may have 1 MiB, and the server sends it whole. */
const recordsPerPage = 20
const pageBytesMax = 32 * 1024 * 1024

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
  const method = 'com.atproto.repo.listRecords'
  // Pages may be shorter than asked for, but not for ever.
  const pagesMax = 2 * Math.ceil(recordsMax / recordsPerPage)
  let cursor: string | null = ''
  for (let pages = 0; cursor !== null && pages < pagesMax && keys.size < recordsMax; pages++) {
    const known = keys.size
    const fixed = { repo: did, collection, limit: String(recordsPerPage) }
    const parameters = cursor === '' ? fixed : { ...fixed, cursor }
    const page = await publicQuery(
      { server: pds, method, parameters, bytesMax: pageBytesMax },
      context,
    )
    for (const key of keysOf(page)) keys.add(key)
    // A server that lists the same again has come to its end, whatever it says.
    cursor = keys.size > known ? cursorOf(page) : null
  }
  return [...keys].slice(0, recordsMax)
}

function keysOf(page: unknown): string[] {
  const records = ownField(page, 'records')
  return (Array.isArray(records) ? records : []).flatMap((record: unknown) => {
    const uri = ownField(record, 'uri')
    return typeof uri === 'string' ? [uri.slice(uri.lastIndexOf('/') + 1)] : []
  })
}

/** Where the next page begins; null: there is none. */
export function cursorOf(page: unknown): string | null {
  const cursor = ownField(page, 'cursor')
  return typeof cursor === 'string' && cursor !== '' ? cursor : null
}
