import { findJob, type Job } from '#store/jobs.ts'
import type { ApiContext } from './context.ts'
import { ApiError } from './errors.ts'

const eventEveryMs = 200
const commentEveryMs = 15_000
const streamsPerJobMax = 4
const streamsPerAccountMax = 8

/** Counts open streams, so that neither a job nor an account holds too many. */
export class StreamSlots {
  readonly #open = new Map<string, number>()

  /** Returns the function that gives the slot back. Throws ApiError 429. */
  take(jobId: string, did: string): () => void {
    const isFull =
      this.#count(jobId) >= streamsPerJobMax || this.#count(did) >= streamsPerAccountMax
    if (isFull) throw new ApiError(429, 'Too many streams are open.', { 'retry-after': '5' })
    this.#add(jobId, 1)
    this.#add(did, 1)
    let isHeld = true
    return () => {
      if (isHeld) for (const key of [jobId, did]) this.#add(key, -1)
      isHeld = false
    }
  }

  #count(key: string): number {
    return this.#open.get(key) ?? 0
  }

  #add(key: string, change: number): void {
    const count = this.#count(key) + change
    if (count === 0) this.#open.delete(key)
    else this.#open.set(key, count)
  }
}

/** The job's state now and at every change, until it ends (decisions.md §7, "Stream"). */
export function jobStream(
  job: Job,
  { db, hints }: Pick<ApiContext, 'db' | 'hints'>,
  { signal, release }: { signal: AbortSignal; release: () => void },
): Response {
  const events = jobEvents(job, { db, hints, signal, release })
  const stream = new ReadableStream<string>({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      release()
      await events.return(undefined)
    },
  })
  return new Response(stream.pipeThrough(new TextEncoderStream()), {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
  })
}

interface EventsContext extends Pick<ApiContext, 'db' | 'hints'> {
  readonly signal: AbortSignal
  readonly release: () => void
}

async function* jobEvents(
  job: Job,
  { db, hints, signal, release }: EventsContext,
): AsyncGenerator<string> {
  using changed = hints.subscribe('jobs')
  let current = job
  let silentSince = Date.now()
  try {
    yield progressEvent(current)
    while (current.finishedAt === null) {
      const silentMs = Date.now() - silentSince
      await changed.wait(Math.max(commentEveryMs - silentMs, 0), signal)
      await Bun.sleep(eventEveryMs)
      const next = signal.aborted ? null : await findJob(db, job.id)
      if (next === null) return
      const isNews = next.updatedAt !== current.updatedAt || next.finishedAt !== null
      current = next
      if (!isNews && Date.now() - silentSince < commentEveryMs) continue
      silentSince = Date.now()
      yield isNews ? progressEvent(current) : ':\n\n'
    }
    yield endEvent(current)
  } finally {
    release()
  }
}

function progressEvent({ status, progress, result, error }: Job): string {
  return eventText('progress', { status, progress, result, error })
}

const endEvent = ({ result, error }: Job): string =>
  error === null ? eventText('done', result) : eventText('error', { error })

const eventText = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
