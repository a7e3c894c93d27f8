import type { Log } from '#observe/log.ts'
import { siteLabel } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { latestChangeSeq, oldestChangeSeq, readChanges } from '#store/changes.ts'
import type { Db } from '#store/database.ts'
import type { Hints } from '#store/hints.ts'
import { outlastDatabase } from '#store/outlast-database.ts'
import type { Hosts } from './hosts.ts'
import { type LoadContext, loadSite } from './load-site.ts'
import { LoadingTier } from './loading-tier.ts'
import type { TierStats } from './memory-tier.ts'
import { SiteInMemory } from './site-in-memory.ts'

const changesAtOnce = 1000
const lookAgainMs = 500
/** While the database is away, visitors get what is in memory; soon after, what is new. */
const pauseMs = 1_000

/**
 * The sites that visitors asked for, by label: their live snapshots and the answers made of them. Bounded by
 * their bytes in memory. A change in the index is seen within a second.
 */
export class Snapshots {
  readonly #tier: LoadingTier<SiteInMemory>

  constructor({ bytesMax, ...context }: LoadContext & { bytesMax: number }) {
    this.#tier = new LoadingTier(bytesMax, async (label) => {
      const loaded = await loadSite(label, context)
      if (loaded === null) return null
      const site = new SiteInMemory(loaded.site, (bytes) => this.#tier.grow(label, site, bytes))
      return { value: site, bytes: loaded.bytes }
    })
  }

  get stats(): TierStats {
    return this.#tier.stats
  }

  /** At once when it is in memory, else one load a label, however many ask. Null: no such site. */
  get(label: string): SiteInMemory | Promise<SiteInMemory | null> {
    return this.#tier.get(label)
  }

  forget(label: string): void {
    this.#tier.forget(label)
  }

  forgetAll(): void {
    this.#tier.forgetAll()
  }
}

interface FollowContext {
  readonly db: Db
  readonly hints: Hints
  readonly log: Log
  readonly snapshots: Pick<Snapshots, 'forget' | 'forgetAll'>
  readonly hosts: Pick<Hosts, 'forget' | 'forgetAll'>
  readonly signal: AbortSignal
}

/** Forgets what has changed, until the signal ends it. A database that is away is waited for. */
export async function followChanges(context: FollowContext): Promise<void> {
  const { db, hints, hosts, log, snapshots, signal } = context
  const forgetAll = (): void => {
    snapshots.forgetAll()
    hosts.forgetAll()
  }
  using hinted = hints.subscribe('changes')
  let seen: number | null = null
  const forgetChanged = async (): Promise<void> => {
    if (seen === null) {
      seen = await latestChangeSeq(db)
      // Of what was loaded until now nobody knows whether it has changed since.
      forgetAll()
    }
    // A process that slept longer than changes are kept has missed some.
    if ((await oldestChangeSeq(db)) > seen + 1) forgetAll()
    const changes = await readChanges(db, seen, changesAtOnce)
    for (const change of changes) {
      if (change.kind === 'host') hosts.forget(change.host)
      else {
        const name = parseSiteName(change.name)
        if (name !== null) snapshots.forget(siteLabel({ did: change.did, name }))
      }
      seen = change.seq
    }
    if (changes.length < changesAtOnce) await hinted.wait(lookAgainMs, signal)
  }
  await outlastDatabase('edge', forgetChanged, { log, signal, pauseMs })
}
