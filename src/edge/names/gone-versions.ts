import { missMs } from '#concurrency/loading-tier.ts'
import { LoadingTtlMap } from '#concurrency/loading-ttl-map.ts'
import { findVersionByLabel } from '#store/sites/version-records/version-addresses.ts'
import { findLiveOrigin, type OriginContext } from './live-origin.ts'

/** More labels are asked again. */
const labelsMax = 10_000

interface GoneContext extends OriginContext {
  readonly now: () => number
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
}

/**
 * The origins of the sites whose versions had these labels and were removed or have expired; null: there never was such a
 * version, or nobody gets anything of its site. Remembered for a second, as `Takedowns` are.
 */
export class GoneVersions extends LoadingTtlMap<string | null> {
  constructor({ elapsed, now, ...context }: GoneContext) {
    const load = async (label: string) => {
      const version = await findVersionByLabel(context.db, label, now())
      return version === null || !('isGone' in version) ? null : findLiveOrigin(version, context)
    }
    super(load, { max: labelsMax, ttlMs: missMs, now: elapsed })
  }
}
