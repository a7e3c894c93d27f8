import type { JobContext } from './job-context.ts'

const waitMsMax = 10_000
const lookAgainMs = 250

/** Repeats `look` until it returns a value; null when the time is up or the service stops. */
export type IngestWatch = <Seen>(look: () => Promise<Seen | null>) => Promise<Seen | null>

type WatchContext = Pick<JobContext, 'elapsed' | 'wakeUps'>

/**
 * For a job that waits for ingest: looks again whenever ingest has stored something. All calls together wait at most ten
 * seconds; each looks at least once.
 */
export function watchIngest(
  { elapsed = () => performance.now(), wakeUps }: WatchContext,
  signal: AbortSignal,
): IngestWatch {
  const deadline = elapsed() + waitMsMax
  return async (look) => {
    using changed = wakeUps.subscribe('changes')
    for (;;) {
      if (signal.aborted) return null
      const seen = await look()
      if (seen !== null) return seen
      if (elapsed() >= deadline) return null
      await changed.wait(lookAgainMs, signal)
    }
  }
}
