import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#main/config/config.ts'
import { WritingInstance } from '#main/hosting/ask-as-edge.ts'
import { visitedDidsMax } from '#main/hosting/edge-questions.ts'
import { remoteTraffic } from '#main/hosting/remote-traffic.ts'
import { lockDataDir } from '#main/process/data-lock.ts'
import { openVisitors, type VisitorService } from '#main/service/open-visitors.ts'
import { openMigratedStores } from '#main/service/stores.ts'
import { logOfService } from '#observe/log-of-service.ts'
import { rateLimitedLog } from '#observe/rate-limited-log.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import type { RunningLog } from '#observe/start-log.ts'
import { latestChangeSeq } from '#store/database/changes.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { openDatabase } from '#store/database/database.ts'
import { shareWakeUps } from '#store/database/share-wake-ups.ts'
import { findInstanceWith } from '#store/instances.ts'
import { answerHealth } from './answer-health.ts'
import { waitForTables } from './wait-for-tables.ts'

interface EdgeAloneOptions {
  readonly config: Config
  readonly log: RunningLog
  readonly requests: RequestMetrics
  readonly over: AbortSignal
  /** Ends background work, and the wait for the tables. */
  readonly signal: AbortSignal
}

/**
 * Opens an edge whose database role may only read: another instance migrates the database, and writes what visitors cause. Null:
 * the signal was aborted while it waited for the tables.
 */
export async function openEdgeAlone(
  options: EdgeAloneOptions,
  opened: AsyncDisposableStack,
): Promise<Pick<VisitorService, 'background' | 'fetch'> | null> {
  const { config, log, over, requests, signal } = options
  const { databaseUrl: url = '', dataDir, hostingAt } = config
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  opened.use(await lockDataDir(dataDir, 'hosting'))
  {
    await using database = openDatabase({ url })
    if (!(await waitForTables(database, { log, signal }))) return null
  }
  const stores = await openMigratedStores({ config, copiesIn: 'blob-copies', log }, opened)
  const { blobs, db, wakeUps } = stores
  const visitorLog = rateLimitedLog(logOfService(log, 'hosting-service'))
  const instance = new WritingInstance({
    findUrl: async () => hostingAt?.url ?? (await findInstanceWith(db, 'ingest'))?.address ?? null,
    token: hostingAt?.token ?? '',
    signal: over,
  })
  const visitors = openVisitors({
    ...{ config, log, over, requests, signal, stores, visitorLog },
    decodedDir: join(dataDir, 'decoded'),
    application: answerHealth({
      probes: [
        { problem: 'The database does not answer.', ask: () => latestChangeSeq(db) },
        { problem: 'The bucket of the blobs does not answer.', ask: () => blobs.assertThere() },
        {
          problem: 'No other instance takes what visits count.',
          ask: () => instance.assertThere(),
        },
      ],
      log: visitorLog,
      stopping: signal,
    }),
    elsewhere: 'application',
    discover: (owner, client) => instance.ask({ kind: 'discover', owner, client }),
    enqueue: ({ did, name, versionKey = null }) =>
      instance.ask({ kind: 'missing', did, name, versionKey }),
    traffic: remoteTraffic(instance, visitorLog),
    touchVisited: async (dids) => {
      for (const chunk of chunksOf(dids, visitedDidsMax)) {
        await instance.write({ kind: 'visited', dids: [...chunk] })
      }
    },
  })
  const { background, fetch } = visitors
  return {
    fetch,
    background: Promise.all([background, shareWakeUps({ url, wakeUps, log, signal })]),
  }
}
