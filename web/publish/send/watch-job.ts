import type { JobEvents } from '#api/contract/client.ts'
import { ApiError, addressOf, answeredError } from '#web/server/api.ts'
import { words } from '#web/words/words.ts'
import type { JobResult, JobUpdate } from './job.ts'

interface Watch {
  readonly onUpdate: (update: JobUpdate) => void
  /** Stops watching; the job continues. */
  readonly signal: AbortSignal
  readonly openStream?: (url: string) => EventSource
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  readonly retryMs?: number
}

/** The job has ended, and published nothing. */
export class JobFailedError extends ApiError {}

/**
 * Follows a job to its end, across lost connections. Throws JobFailedError, and another ApiError when the
 * server refuses to tell about the job or cannot be reached for about a minute.
 */
export async function watchJob(jobId: string, watch: Watch): Promise<JobResult> {
  const { signal, retryMs = 3000 } = watch
  const { path: url } = addressOf('GET /sitehost/upload-progress/:jobId', { params: { jobId } })
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const end = await followStream(url, watch)
    if (end.kind === 'done') return end.result
    if (end.kind === 'failed') throw new JobFailedError(null, end.error)
    await throwIfRefused(url, watch)
    await delay(retryMs, signal)
  }
  throw new ApiError(null, words.publish.lost)
}

type StreamEnd =
  | { readonly kind: 'done'; readonly result: JobResult }
  | { readonly kind: 'failed'; readonly error: string }
  | { readonly kind: 'closed' }

function followStream(url: string, watch: Watch): Promise<StreamEnd> {
  const { onUpdate, signal, openStream = (at) => new EventSource(at) } = watch
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const source = openStream(url)
    const end = (how: StreamEnd) => {
      source.close()
      resolve(how)
    }
    const on = <Event extends 'progress' | 'done'>(
      event: Event,
      take: (data: JobEvents[Event]) => void,
    ) => source.addEventListener(event, ({ data }) => take(JSON.parse(data)))
    on('progress', onUpdate)
    on('done', (result) => end({ kind: 'done', result }))
    // One name, two events: the server's own `error` carries data, the connection's does not.
    source.addEventListener('error', (event) => {
      if (event instanceof MessageEvent) {
        const { error }: JobEvents['error'] = JSON.parse(event.data)
        end({ kind: 'failed', error })
      } else if (source.readyState === closed) {
        end({ kind: 'closed' })
      }
    })
    signal.addEventListener('abort', () => {
      source.close()
      reject(signal.reason)
    })
  })
}

/** An EventSource gives up on any answer but 200 and does not say which it was; so ask once more. */
async function throwIfRefused(url: string, { signal, fetch: ask = fetch }: Watch): Promise<void> {
  const response = await ask(url, { signal }).catch((error: unknown) => {
    if (signal.aborted) throw error
    return null
  })
  if (response === null) return
  const { status } = response
  if (status < 400 || status === 429 || status >= 500) {
    await response.body?.cancel()
    return
  }
  throw answeredError(status, await response.json().catch(() => null))
}

function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}

/** EventSource.CLOSED */
const closed = 2
const attemptsMax = 20
