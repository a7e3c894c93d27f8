import { isRecordKey } from '@atcute/lexicons/syntax'
import { type Did, parseDid } from '#site/site-address.ts'

/** What happened to one account. Not a proof: whoever acts on it asks the account's server. */
export type FirehoseHint =
  /** A record of a collection that we follow was written or removed. */
  | {
      readonly kind: 'site'
      readonly did: Did
      readonly collection: string
      readonly rkey: string
    }
  /** It went away or came back. */
  | { readonly kind: 'account'; readonly did: Did }
  /** Its handle, server or signing key may have changed. */
  | { readonly kind: 'identity'; readonly did: Did }
  /** Its repository changed without events that say how: its records are to be listed anew. */
  | { readonly kind: 'sync'; readonly did: Did }

/** The parts of a record's address, if it is in one of the collections and has a key that may be one. */
export function recordIn(
  collections: ReadonlySet<string>,
  collection: unknown,
  rkey: unknown,
): { collection: string; rkey: string } | null {
  if (typeof collection !== 'string' || !collections.has(collection)) return null
  return isRecordKey(rkey) ? { collection, rkey } : null
}

// The functions below give null for what is not of the protocol's form, and no hint for accounts of a kind
// that we do not read.

type Hints = readonly FirehoseHint[] | null

export function siteHints(
  did: unknown,
  records: readonly { collection: string; rkey: string }[],
): Hints {
  if (typeof did !== 'string') return null
  const known = records.length > 0 ? parseDid(did) : null
  return known === null ? [] : records.map((record) => ({ kind: 'site', did: known, ...record }))
}

export function changeHints(kind: 'account' | 'identity' | 'sync', did: unknown): Hints {
  if (typeof did !== 'string') return null
  const known = parseDid(did)
  return known === null ? [] : [{ kind, did: known }]
}
