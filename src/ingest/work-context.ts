import type { Log } from '#observe/log.ts'
import type { Spans } from '#observe/spans.ts'
import type { Namespace } from '#site/namespace.ts'
import type { EnqueueContext } from '#store/queues/enqueue.ts'
import type { AtIngestPoint } from './fail-points.ts'

/** What all work of ingest uses. */
export interface WorkContext extends EnqueueContext {
  readonly log: Log
  /** Traces of ingest; left out: none. */
  readonly spans?: Spans
  /** Stops the work; unfinished work items stay queued. */
  readonly signal: AbortSignal
  readonly at?: AtIngestPoint
  /** Other networks whose sites are served here, too. Left out: none. */
  readonly alsoServe?: readonly Namespace[]
}
