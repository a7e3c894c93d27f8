import { textStream } from '#api/body-stream.ts'
import type { ApiContext } from '#api/context.ts'
import type { JobEvents } from '#api/contract/client.ts'
import type { WakeUpSubscription } from '#store/database/wake-ups.ts'
import { findJob, hasJobEnded, type Job } from '#store/queues/jobs.ts'

interface StreamOptions {
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal
  /** False: the session has ended. Asked before every event and comment but the first. */
  readonly isSignedIn: () => Promise<boolean>
  /** Called once when the stream ends, for whatever reason. */
  readonly release: () => void
  readonly eventEveryMs?: number
  /** Of a job that another instance runs: it may not say when there is news. */
  readonly lookEveryMs?: number
  readonly commentEveryMs?: number
  /** Monotonic milliseconds. */
  readonly now?: () => number
}

interface StreamContext extends Pick<ApiContext, 'db' | 'log'> {
  readonly wakeUps: {
    subscribe(
      topic: 'job-progress',
      about: string,
    ): Pick<WakeUpSubscription, 'wake' | 'wait' | typeof Symbol.dispose>
  }
}

/**
 * The job's state now and at every change, until it or the session ends (decisions.md §7, "Stream"). Back-pressure:
 * states are read only when the client can take one, so a client that does not read skips states and costs no memory.
 */
export function jobStream(job: Job, context: StreamContext, options: StreamOptions): Response {
  const gone = new AbortController()
  const signal = AbortSignal.any([options.signal, gone.signal])
  const body = textStream(jobEvents(job, context, { ...options, signal }), () => {
    options.release()
    gone.abort()
  })
  return new Response(body, { headers: streamHeaders })
}

export const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }

async function* jobEvents(
  job: Job,
  context: StreamContext,
  options: StreamOptions,
): AsyncGenerator<string> {
  try {
    yield* statesOf(job, context, options)
  } catch (error) {
    // The stream ends without an error: clients connect again and get a status.
    context.log.error('progress not streamed', { job: job.id, error })
  }
}

async function* statesOf(
  job: Job,
  { db, wakeUps }: StreamContext,
  options: StreamOptions,
): AsyncGenerator<string> {
  const { isSignedIn, signal, eventEveryMs = 200, commentEveryMs = 15_000 } = options
  const { lookEveryMs = commentEveryMs, now = () => performance.now() } = options
  using changed = wakeUps.subscribe('job-progress', job.id)
  // The row was read before we subscribed: the first wait below must not miss what came in between.
  changed.wake()
  let current = job
  yield progressEvent(current)
  let silentSince = now()
  while (current.finishedAt === null) {
    const silentMs = now() - silentSince
    await changed.wait(Math.min(lookEveryMs, Math.max(commentEveryMs - silentMs, 0)), signal)
    // Only what is left of the pause since the last event: news after a silence goes out at once, and so does the end.
    const pauseMs = (): number => eventEveryMs - (now() - silentSince)
    while (pauseMs() > 0 && !signal.aborted && !(await hasJobEnded(db, job.id))) {
      // The rest of the pause may have passed while the job was read.
      await changed.wait(Math.max(pauseMs(), 0), signal)
    }
    const next = signal.aborted ? null : await findJob(db, job.id)
    if (next === null) return
    const isNews = progressEvent(next) !== progressEvent(current)
    current = next
    if (!isNews && now() - silentSince < commentEveryMs) continue
    if (!(await isSignedIn())) return
    yield isNews ? progressEvent(current) : ':\n\n'
    silentSince = now()
  }
  yield endEvent(current)
}

function progressEvent({ status, progress, result, error }: Job): string {
  return eventText('progress', { status, progress, result, error })
}

function endEvent({ result, error }: Job): string {
  if (error !== null) return eventText('error', { error })
  if (result === null) throw new TypeError('a job ended without result and error')
  return eventText('done', result)
}

const eventText = <Event extends keyof JobEvents>(event: Event, data: JobEvents[Event]): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
