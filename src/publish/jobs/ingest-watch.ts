import { ingestedOf } from '#store/queues/work-items.ts'
import type { JobContext } from './job-context.ts'

const waitMsMax = 10_000
const lookAgainMs = 250
/** Where a wake-up of the reading process comes here. */
const sharedLookAgainMs = 1_000

/** Repeats `look` until it returns a value; null when the time is up or the service stops. */
export type IngestWatch = <Seen>(
  item: Parameters<typeof ingestedOf>[0],
  look: () => Promise<Seen | null>,
) => Promise<Seen | null>

type WatchContext = Pick<JobContext, 'elapsed' | 'wakeUps'>

/**
 * For a job that waits for ingest: looks again when ingest has read the item. All calls together wait at most ten
 * seconds; each looks at least once.
 */
export function watchIngest(
  { elapsed = () => performance.now(), wakeUps }: WatchContext,
  signal: AbortSignal,
): IngestWatch {
  const deadline = elapsed() + waitMsMax
  return async (item, look) => {
    using read = wakeUps.subscribe('ingested', ingestedOf(item))
    for (;;) {
      if (signal.aborted) return null
      const seen = await look()
      if (seen !== null) return seen
      if (elapsed() >= deadline) return null
      await read.wait(wakeUps.areShared ? sharedLookAgainMs : lookAgainMs, signal)
    }
  }
}
