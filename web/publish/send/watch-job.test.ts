import { describe, expect, test } from 'bun:test'
import type { ApiError } from '#web/server/api.ts'
import type { JobResult, JobUpdate } from './job.ts'
import { watchJob } from './watch-job.ts'

const result: Partial<JobResult> = { siteName: 'blog', url: 'https://blog.example/' }

describe('watchJob', () => {
  test('passes on progress and answers with the result', async () => {
    const { updates, outcome, streams } = watch((stream) => {
      stream.say('progress', { status: 'uploading' })
      stream.say('done', result)
    })
    expect(await outcome).toMatchObject(result)
    expect(updates).toMatchObject([{ status: 'uploading' }])
    expect(streams).toHaveLength(1)
    expect(streams[0]?.readyState).toBe(2)
  })

  test("throws the job's own error", async () => {
    const { outcome, streams } = watch((stream) => stream.say('error', { error: 'Disk is full.' }))
    expect((await failure(outcome)).message).toBe('Disk is full.')
    expect(streams[0]?.readyState).toBe(2)
  })

  test('a dropped connection is left to the browser', async () => {
    const { outcome, streams } = watch((stream) => {
      stream.drop(0)
      stream.say('done', result)
    })
    expect(await outcome).toMatchObject(result)
    expect(streams).toHaveLength(1)
  })

  const passing = [429, 500, 503, 200]
  test.each(passing)('a stream that was closed opens again after %d', async (status) => {
    const { outcome, streams } = watch(
      (stream, nth) => (nth === 1 ? stream.drop(2) : stream.say('done', result)),
      async () => new Response('', { status }),
    )
    expect(await outcome).toMatchObject(result)
    expect(streams).toHaveLength(2)
  })

  test('a server that is away is asked again', async () => {
    const { outcome } = watch(
      (stream, nth) => (nth === 1 ? stream.drop(2) : stream.say('done', result)),
      async () => Promise.reject(new TypeError('fetch failed')),
    )
    expect(await outcome).toMatchObject(result)
  })

  test('a refusal is final and carries its status', async () => {
    const { outcome } = watch(
      (stream) => stream.drop(2),
      async () => Response.json({ error: 'Job not found' }, { status: 404 }),
    )
    expect(await failure(outcome)).toMatchObject({ message: 'Job not found', status: 404 })
  })

  test('gives up in the end', async () => {
    const { outcome, streams } = watch(
      (stream) => stream.drop(2),
      async () => new Response('', { status: 503 }),
    )
    expect((await failure(outcome)).message).toContain('cannot be reached')
    expect(streams).toHaveLength(20)
  })

  test('stops when told to, and closes the stream', async () => {
    const stop = new AbortController()
    const { outcome, streams } = watch(() => stop.abort(), undefined, stop.signal)
    expect((await failure(outcome)).name).toBe('AbortError')
    expect(streams[0]?.readyState).toBe(2)
  })
})

type Script = (stream: FakeStream, nth: number) => void

class FakeStream extends EventTarget {
  readyState = 1

  close() {
    this.readyState = 2
  }

  say(event: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }))
  }

  /** As browsers report a lost connection: 0 while they connect again, 2 once they gave up. */
  drop(readyState: 0 | 2) {
    this.readyState = readyState
    this.dispatchEvent(new Event('error'))
  }
}

function watch(
  script: Script,
  fetch: (url: string) => Promise<Response> = () => Promise.reject(new Error('not expected')),
  signal: AbortSignal = new AbortController().signal,
) {
  const updates: JobUpdate[] = []
  const streams: FakeStream[] = []
  const openStream = () => {
    const stream = new FakeStream()
    const nth = streams.push(stream)
    queueMicrotask(() => script(stream, nth))
    return stream as unknown as EventSource
  }
  const onUpdate = (update: JobUpdate) => void updates.push(update)
  const outcome = watchJob('a1', { onUpdate, signal, openStream, fetch, retryMs: 0 })
  return { updates, outcome, streams }
}

const failure = (outcome: Promise<unknown>): Promise<ApiError> =>
  outcome.then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error,
  )
