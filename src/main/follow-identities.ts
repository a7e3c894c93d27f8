import type { Identities } from '#atproto/identity/identity.ts'
import { LruMap } from '#concurrency/lru-map.ts'
import type { Did } from '#site/site-address.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'

/** Accounts by `didHash`, or all. */
export type ChangedIdentities = readonly string[] | 'all'

/** Calls `forget` with the accounts whose identity the reader of the firehose has seen change, in any process on the database. */
export function followIdentities(forget: (changed: ChangedIdentities) => void): ChangeSubscriber {
  return {
    startAfresh: () => forget('all'),
    follow(changes) {
      const hashes = changes.flatMap((change) => (change.kind === 'identity' ? change.didHash : []))
      if (hashes.length > 0) forget(hashes)
    },
  }
}

/** Of cached identities: hashing all of them takes 10 ms, and a hostile server may announce changes without end. */
const hashesMax = 20_000

/** Drops what is cached of the accounts that it is called with. */
export function identityForgetter(
  identities: Pick<Identities, 'forgetAll' | 'forgetWhere'>,
): (changed: ChangedIdentities) => void {
  const hashes = new LruMap<Did, string>(hashesMax)
  const hashOf = (did: Did): string => {
    const known = hashes.get(did)
    if (known !== undefined) return known
    const hash = didHash(did)
    hashes.set(did, hash)
    return hash
  }
  return (changed) => {
    if (changed === 'all') return identities.forgetAll()
    const meant = new Set(changed)
    identities.forgetWhere((did) => meant.has(hashOf(did)))
  }
}
