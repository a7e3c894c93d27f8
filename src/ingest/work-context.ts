import type { Log } from '#observe/log.ts'
import type { EnqueueContext } from '#store/queues/enqueue.ts'
import type { AtIngestPoint } from './fail-points.ts'

/** What all work of ingest uses. */
export interface WorkContext extends EnqueueContext {
  readonly log: Log
  /** Stops the work; unfinished work items stay queued. */
  readonly signal: AbortSignal
  readonly at?: AtIngestPoint
}
