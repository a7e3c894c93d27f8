import type { Log } from '#observe/log.ts'
import type { ChangeSubscriber } from '#store/database/change-feed.ts'
import type { Change } from '#store/database/changes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import type { Db } from '#store/database/database.ts'
import { type Cdn, hostsOfPurgeMax } from './cdn.ts'
import { hostsToPurge } from './hosts-to-purge.ts'

interface PurgeAtOnceContext {
  readonly cdn: Pick<Cdn, 'purge'>
  readonly baseDomain: string
  readonly db: Db
  readonly log: Log
}

const changesMax = 1_000

/**
 * Tells a CDN that keeps pages which to drop as soon as this process has dropped its own, so it comes last of the subscribers.
 * Tries once: `purgeCdn` does the same again when every process has, and until the CDN accepts it.
 */
export function purgeAtOnce(context: PurgeAtOnceContext): ChangeSubscriber {
  let waiting: Change[] = []
  let isPurging = false
  const purge = async (): Promise<void> => {
    isPurging = true
    try {
      while (waiting.length > 0) {
        const changes = waiting
        waiting = []
        await purgeHosts(changes, context)
      }
    } catch (error) {
      context.log.debug('CDN not purged at once', { error })
    } finally {
      isPurging = false
    }
  }
  return {
    startAfresh() {
      waiting = []
    },
    follow(changes) {
      // What does not fit is purged later, by `purgeCdn`.
      waiting.push(...changes.slice(0, changesMax - waiting.length))
      if (!isPurging && waiting.length > 0) void purge()
    },
  }
}

async function purgeHosts(
  changes: readonly Change[],
  { baseDomain, cdn, db }: PurgeAtOnceContext,
): Promise<void> {
  const hosts = [...(await hostsToPurge(db, changes, { baseDomain, keepsPages: true }))]
  for (const some of chunksOf(hosts, hostsOfPurgeMax)) await cdn.purge(some)
}
