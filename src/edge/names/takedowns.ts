import { missMs } from '#concurrency/loading-tier.ts'
import { LoadingTtlMap } from '#concurrency/loading-ttl-map.ts'
import type { Db } from '#store/database/database.ts'
import type { TakedownStatus } from '#store/database/tables/moderation-tables.ts'
import { findTakedownByLabel } from '#store/moderation/takedowns.ts'

/** More labels are asked again. */
const labelsMax = 10_000

/**
 * How the sites with these labels are taken down; null: they are not. Remembered for a second: whoever visits a site that
 * is not here asks. `forgetChanged` invalidates changed sites.
 */
export class Takedowns extends LoadingTtlMap<TakedownStatus | null> {
  constructor({ db, elapsed }: { readonly db: Db; readonly elapsed: () => number }) {
    const options = { max: labelsMax, ttlMs: missMs, now: elapsed }
    super((label) => findTakedownByLabel(db, label), options)
  }
}
