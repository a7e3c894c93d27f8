import { recordEvent } from '#observe/events.ts'
import { abandonedSentence } from '#publish/publish-failure.ts'
import {
  listKnownInstances,
  removeGoneInstance,
  type SeenInstance,
} from '#store/queues/instance-rows.ts'
import type { JobContext } from './job-context.ts'

interface GoneOptions extends Pick<JobContext, 'db' | 'log' | 'now' | 'spool' | 'wakeUps'> {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  /** An instance that was not seen for so long is gone. */
  readonly goneMs: number
}

/** Between two looks, at most: after a longer pause, nothing is known of the time between. */
const lookMsMax = 30_000

interface Watched {
  readonly seen: SeenInstance
  readonly since: number
}

/**
 * Ends the jobs and open deploys of instances that are gone. An instance counts as gone when its row stays as it is while
 * this process watches: no machine's clock matters, and no time in which the database could not be read.
 */
export class GoneInstances {
  readonly #options: GoneOptions
  #watched = new Map<string, Watched>()
  #lookedAt = 0

  constructor(options: GoneOptions) {
    this.#options = options
  }

  /** To be called every few seconds. */
  async look(): Promise<void> {
    const { db, elapsed, goneMs, spool } = this.#options
    const known = await listKnownInstances(db)
    const at = elapsed()
    if (at - this.#lookedAt > lookMsMax) this.#watched.clear()
    this.#lookedAt = at
    const watched = new Map<string, Watched>()
    for (const seen of known) {
      if (seen.id === spool.instance) continue
      const before = this.#watched.get(seen.id)
      const isSame = before !== undefined && isUnchanged(before.seen, seen)
      watched.set(seen.id, isSame ? before : { seen, since: at })
    }
    this.#watched = watched
    for (const { seen, since } of watched.values()) {
      if (at - since >= goneMs) await this.#remove(seen)
    }
  }

  async #remove(seen: SeenInstance): Promise<void> {
    const { db, log, now, wakeUps } = this.#options
    const sentenceOf = abandonedSentence
    const jobs = await removeGoneInstance(db, seen, { now: now(), sentenceOf })
    if (jobs === null) return
    log.warn('instance is gone', { instance: seen.id, jobs: jobs.length })
    for (const { id, did, site, ...job } of jobs) {
      const reason = abandonedSentence(job)
      recordEvent(log, 'publish_failed', { job: id, did, site, reason }, 'warn')
    }
    wakeUps.notify('jobs')
    wakeUps.notify('job-progress')
  }
}

const isUnchanged = (before: SeenInstance, seen: SeenInstance): boolean =>
  before.row?.run === seen.row?.run && before.row?.seenAt === seen.row?.seenAt
