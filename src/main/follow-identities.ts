import type { Identities } from '#atproto/identity/identity.ts'
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

/** Drops what is cached of these accounts. */
export function forgetIdentities(
  identities: Pick<Identities, 'forgetAll' | 'forgetWhere'>,
  changed: ChangedIdentities,
): void {
  if (changed === 'all') identities.forgetAll()
  else {
    const hashes = new Set(changed)
    identities.forgetWhere((did) => hashes.has(didHash(did)))
  }
}
