import { missMs } from '#concurrency/loading-tier.ts'
import { LoadingTtlMap } from '#concurrency/loading-ttl-map.ts'
import { type Did, parseDid } from '#site/site-address.ts'
import { namesWithKey, parseSiteName, type SiteName } from '#site/site-name.ts'
import { findDidByHandle, isKnownAccount } from '#store/accounts/accounts.ts'
import type { Db } from '#store/database/database.ts'
import type { TakedownStatus } from '#store/database/tables/moderation-tables.ts'
import { findTakedown } from '#store/moderation/takedowns.ts'
import { listQueuedNames } from '#store/queues/queued.ts'
import { listPresentNames } from '#store/sites/sites.ts'

/** More addresses are asked again. */
const addressesMax = 10_000

/** The owner of a site that is named by its address. */
export interface AddressTarget {
  readonly did: Did
  /** That of our network, unless only a foreign one has this record key. */
  readonly name: SiteName
  /** Null: it is not taken down. */
  readonly takedown: TakedownStatus | null
}

/**
 * Where the addresses `<did or handle>/<site name>` lead; null: to no account that is known here. Remembered for a second;
 * `forgetChanged` invalidates all of them with each change of a site.
 */
export class Addresses extends LoadingTtlMap<AddressTarget | null> {
  constructor({ db, elapsed }: { readonly db: Db; readonly elapsed: () => number }) {
    const options = { max: addressesMax, ttlMs: missMs, now: elapsed }
    super((address) => load(address, db), options)
  }
}

/** Neither DIDs nor handles have a slash. */
export const addressKey = (owner: string, name: SiteName): string => `${owner}/${name}`

async function load(address: string, db: Db): Promise<AddressTarget | null> {
  const [owner = '', site = ''] = address.split('/')
  const name = parseSiteName(site)
  const did = await knownDid(owner, db)
  return did === null || name === null ? null : await targetOf(did, name, db)
}

export async function targetOf(did: Did, rkey: SiteName, db: Db): Promise<AddressTarget> {
  const name = await findNameWithKey(did, rkey, db)
  return { did, name, takedown: (await findTakedown(db, { did, name }))?.status ?? null }
}

async function findNameWithKey(did: Did, rkey: SiteName, db: Db): Promise<SiteName> {
  const names = namesWithKey(rkey)
  const present = new Set(await listPresentNames(db, did, names))
  const queued = present.size > 0 ? present : new Set(await listQueuedNames(db, did))
  return names.find((name) => queued.has(name)) ?? rkey
}

async function knownDid(owner: string, db: Db): Promise<Did | null> {
  const did = parseDid(owner)
  if (did === null) return await findDidByHandle(db, owner)
  return (await isKnownAccount(db, did)) ? did : null
}
