import { describe, expect, spyOn, test } from 'bun:test'
import { endSessionsOf } from '#store/accounts/sessions.ts'
import { finishJob, startNextJob, updateJob } from '#store/queues/job-steps.ts'
import { createJob, findJob, type JobResult } from '#store/queues/jobs.ts'
import { recordingLog, testApi } from '#tests/support/api.ts'
import { alice, bob, nameOf, newJob, progress } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { jobStream } from './job-stream.ts'

const api = testApi()
const queue = { queuedMax: 100, now: 1 }
const result = {
  ...{ versionId: null, versionUrl: null, previewUrl: null },
  ...{ versionProblem: null, sizeNotice: null },
  ...{ success: true, uri: 'at://x', siteName: 'blog' },
} as JobResult
const quick = { eventEveryMs: 0, commentEveryMs: 10_000 }

async function newRunningJob(did = alice): Promise<string> {
  const job = newJob({ did })
  await createJob(api().db, job, queue)
  await startNextJob(api().db, did, 2)
  return job.id
}
const finish = async (id: string) => {
  await finishJob(api().db, id, { status: 'completed', progress, result }, 5)
  api().wakeUps.notify('job-progress', { about: id })
}
const advance = async (id: string, filesProcessed: number) => {
  await updateJob(api().db, id, { progress: { ...progress, filesProcessed } }, 2)
  api().wakeUps.notify('job-progress', { about: id })
}
const event = (name: string, data: unknown) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
const state = (status: string, filesProcessed = 0, ended: unknown = null) =>
  event('progress', {
    status,
    progress: { ...progress, filesProcessed },
    result: ended,
    error: null,
  })

/** One stream on its own: its events one by one, and when its slot was given back. */
async function openStream(id: string, pace: typeof quick = quick) {
  const job = await findJob(api().db, id)
  if (job === null) throw new Error('no such job')
  const gone = new AbortController()
  const released = Promise.withResolvers<void>()
  const { db, wakeUps, logged } = api()
  const context = { db, wakeUps, log: recordingLog(logged) }
  let isSignedIn = true
  const ends = {
    signal: gone.signal,
    isSignedIn: async () => isSignedIn,
    release: () => released.resolve(),
  }
  const signOut = () => {
    isSignedIn = false
  }
  const response = jobStream(job, context, { ...pace, ...ends })
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const next = async () => {
    const { value } = await reader.read()
    return value === undefined ? null : Buffer.from(value).toString()
  }
  return { next, gone, reader, released: released.promise, signOut }
}

describe('GET /sitehost/upload-progress/:jobId', () => {
  const get = async (id: string, did = alice, init: RequestInit = {}) =>
    await api().request(`/sitehost/upload-progress/${id}`, {
      ...init,
      headers: { cookie: await api().signedIn(did) },
    })

  test('an unknown job: 404', async () => {
    for (const id of [crypto.randomUUID(), 'x', '%00', '..%2f', 'x'.repeat(2000)]) {
      const response = await get(id)
      expect([response.status, await response.json()]).toEqual([404, { error: 'Job not found' }])
    }
  })

  test('somebody else’s: 403', async () => {
    const response = await get(await newRunningJob(bob))
    expect([response.status, await response.json()]).toEqual([403, { error: 'Unauthorized' }])
  })

  test('a finished one: its state, its result, and the end', async () => {
    const id = await newRunningJob()
    await finish(id)
    const response = await get(id)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.text()).toBe(state('completed', 0, result) + event('done', result))
  })

  test('a failed one: its state, its error, and the end', async () => {
    const id = await newRunningJob()
    await finishJob(api().db, id, { status: 'failed', error: 'No room.' }, 5)
    expect(await (await get(id)).text()).toBe(
      event('progress', { status: 'failed', progress, result: null, error: 'No room.' }) +
        event('error', { error: 'No room.' }),
    )
  })

  test('four streams a job; one that ends makes room', async () => {
    const id = await newRunningJob()
    const streams = await Promise.all([1, 2, 3, 4].map(() => get(id)))
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const fifth = await get(id)
    expect(fifth.status).toBe(429)
    expect(fifth.headers.get('retry-after')).toBe('5')
    await streams[0]?.body?.cancel()
    expect((await get(id)).status).toBe(200)
    expect((await get(id)).status).toBe(429)
  })

  test('eight streams an account, and nobody else is in its way', async () => {
    const ids: string[] = []
    for (const site of ['a', 'b', 'c']) {
      const job = newJob({ site: nameOf(site) })
      await createJob(api().db, job, queue)
      ids.push(job.id)
    }
    const [a = '', b = '', c = ''] = ids
    for (const id of [a, a, a, a, b, b, b, b]) expect((await get(id)).status).toBe(200)
    expect((await get(c)).status).toBe(429)
    expect((await get(await newRunningJob(bob), bob)).status).toBe(200)
  })

  test('a finished stream gives its slot back', async () => {
    const id = await newRunningJob()
    await finish(id)
    for (let i = 0; i < 9; i++) expect(await (await get(id)).text()).toContain('event: done')
  })

  test('ends when its session is ended, and tells nothing more', async () => {
    const id = await newRunningJob()
    const { body } = await get(id)
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    expect((await reader.read()).done).toBe(false)
    await endSessionsOf(api().db, alice)
    await advance(id, 1)
    expect((await reader.read()).done).toBe(true)
  })

  test('HEAD takes no slot', async () => {
    const id = await newRunningJob()
    for (let i = 0; i < 9; i++) {
      const response = await get(id, alice, { method: 'HEAD' })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
    }
    expect((await get(id)).status).toBe(200)
  })
})

test('over a connection: a client that goes away gives its slots back', async () => {
  const id = await newRunningJob()
  const headers = { cookie: await api().signedIn(alice) }
  await using server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request, self) => api().app.fetch(request, { server: self }),
  })
  const url = new URL(`/sitehost/upload-progress/${id}`, server.url)
  const client = new AbortController()
  const answers: Response[] = []
  const open = async (signal?: AbortSignal) => {
    const answer = await fetch(url, { headers, ...(signal && { signal }) })
    // Kept, because Bun closes the connection of an answer that was garbage-collected.
    answers.push(answer)
    return answer.status
  }
  for (let i = 0; i < 4; i++) expect(await open(client.signal)).toBe(200)
  expect(await open()).toBe(429)
  client.abort()
  await eventually(async () => expect(await open()).toBe(200))
  expect(answers.length).toBeGreaterThan(5)
})

describe('the pace of a stream', () => {
  /** Between two events. */
  const pauseMs = 200

  /** Its texts, and when each could be read by a clock that only waiting moves; `onWait` is told how long. */
  async function streamAt(onWait: (ms: number) => Promise<number>, { clockReadingMs = 0 } = {}) {
    const id = await newRunningJob()
    const job = await findJob(api().db, id)
    if (job === null) throw new Error('no such job')
    let time = 0
    const waits: number[] = []
    const pass = async (ms: number): Promise<void> => {
      time += ms
    }
    // The stream reads ahead, but time passes only for what the test has asked for.
    let asked = Promise.withResolvers<void>()
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms)
      if (ms <= pauseMs) return await pass(ms)
      await asked.promise
      asked = Promise.withResolvers()
      await pass(await onWait(ms))
    }
    const subscription = { wake: () => undefined, wait, [Symbol.dispose]: () => undefined }
    const context = {
      db: api().db,
      log: recordingLog([]),
      wakeUps: { subscribe: () => subscription },
    }
    const ends = {
      signal: new AbortController().signal,
      isSignedIn: async () => true,
      release: () => undefined,
    }
    const clock = {
      now: () => {
        time += clockReadingMs
        return time
      },
    }
    const { body } = jobStream(job, context, { ...ends, ...clock })
    const reader = (body as ReadableStream<Uint8Array>).getReader()
    const first = await reader.read()
    expect(Buffer.from(first.value ?? []).toString()).toBe(state('processing'))
    const next = async () => {
      asked.resolve()
      const { value } = await reader.read()
      return [time, Buffer.from(value ?? []).toString()] as const
    }
    return { id, next, waits }
  }

  test('a comment after each 15 s without news', async () => {
    const { next } = await streamAt(async (ms) => ms)
    for (const seconds of [15, 30, 45]) expect(await next()).toEqual([seconds * 1000, ':\n\n'])
  })

  test('at most 5 events a second, however often the job changes', async () => {
    let changes = 0
    const { id, next } = await streamAt(async () => {
      await advance(id, ++changes)
      return 0
    })
    const times: number[] = []
    for (let i = 0; i < 10; i++) times.push((await next())[0])
    expect(times).toEqual([200, 400, 600, 800, 1000, 1200, 1400, 1600, 1800, 2000])
  })

  test('a pause that has passed while the job was read is not waited for', async () => {
    let changes = 0
    const change = async () => {
      await advance(id, ++changes)
      return 0
    }
    const { id, next, waits } = await streamAt(change, { clockReadingMs: 75 })
    for (let i = 0; i < 3; i++) await next()
    expect(changes).toBeGreaterThan(2)
    expect(waits.filter((ms) => ms < 0)).toEqual([])
  })
})

test('the end does not wait for the pace', async () => {
  const id = await newRunningJob()
  const { next } = await openStream(id, { eventEveryMs: 60_000, commentEveryMs: 120_000 })
  expect(await next()).toBe(state('processing'))
  await finish(id)
  expect(await next()).toBe(state('completed', 0, result))
  expect(await next()).toBe(event('done', result))
})

describe('a stream', () => {
  test('tells the state at once, every change, and the end', async () => {
    const id = await newRunningJob()
    const { next, released } = await openStream(id)
    expect(await next()).toBe(state('processing'))
    // The clock stands still: a change is what reads differently, not what has a later time.
    await advance(id, 1)
    expect(await next()).toBe(state('processing', 1))
    await advance(id, 2)
    expect(await next()).toBe(state('processing', 2))
    await finish(id)
    expect(await next()).toBe(state('completed', 0, result))
    expect(await next()).toBe(event('done', result))
    expect(await next()).toBeNull()
    await released
  })

  test('does not miss a change between the reading of the row and the first wait', async () => {
    const id = await newRunningJob()
    const stream = openStream(id)
    await updateJob(api().db, id, { progress: { ...progress, filesProcessed: 3 } }, 2)
    const { next, reader } = await stream
    const events = [await next()]
    if (events[0] !== state('processing', 3)) events.push(await next())
    expect(events.at(-1)).toBe(state('processing', 3))
    await reader.cancel()
  })

  test('says nothing of other jobs, and does not read its row because of them', async () => {
    const id = await newRunningJob()
    const theirs = await newRunningJob(bob)
    const { next } = await openStream(id)
    await next()
    const queries = spyOn(api().db.getExecutor(), 'executeQuery')
    for (let i = 0; i < 3; i++) await advance(theirs, i)
    await advance(id, 1)
    expect(await next()).toBe(state('processing', 1))
    const readings = queries.mock.calls.filter(
      ([{ parameters, sql }]) => sql.startsWith('select') && parameters.includes(id),
    )
    queries.mockRestore()
    // One after the first state.
    expect(readings.length).toBeLessThanOrEqual(2)
  })

  test('sends a comment when there was nothing to say for a while', async () => {
    const id = await newRunningJob()
    const { next } = await openStream(id, { eventEveryMs: 0, commentEveryMs: 5 })
    expect([await next(), await next(), await next()]).toEqual([
      state('processing'),
      ':\n\n',
      ':\n\n',
    ])
    await advance(id, 1)
    let following = await next()
    while (following === ':\n\n') following = await next()
    expect(following).toBe(state('processing', 1))
  })

  test('gives its slot back when the client goes, however it goes', async () => {
    const id = await newRunningJob()
    const aborted = await openStream(id)
    await aborted.next()
    aborted.gone.abort()
    await aborted.released
    const cancelled = await openStream(id)
    await cancelled.next()
    await cancelled.reader.cancel()
    await cancelled.released
  })

  test('of a client that does not read skips what it has no room for', async () => {
    const id = await newRunningJob()
    const { next } = await openStream(id)
    for (let i = 1; i <= 500; i++) await advance(id, i)
    await finish(id)
    const events: (string | null)[] = []
    for (let e = await next(); e !== null; e = await next()) events.push(e)
    expect(events.length).toBeLessThan(8)
    expect(events.slice(-2)).toEqual([state('completed', 0, result), event('done', result)])
  })

  test('ends with the session, at the next event or comment', async () => {
    const id = await newRunningJob()
    for (const pace of [quick, { eventEveryMs: 0, commentEveryMs: 5 }]) {
      const { next, released, signOut } = await openStream(id, pace)
      await next()
      signOut()
      if (pace === quick) await advance(id, 1)
      let last = await next()
      // Read ahead before the session ended.
      while (last === ':\n\n') last = await next()
      expect(last).toBeNull()
      await released
    }
  })

  test('ends when its job is gone', async () => {
    const id = await newRunningJob()
    const { next, released } = await openStream(id)
    await next()
    await api().db.deleteFrom('jobs').execute()
    api().wakeUps.notify('job-progress')
    expect(await next()).toBeNull()
    await released
  })

  test('ends, with a line in the log, when the store fails', async () => {
    const id = await newRunningJob()
    const { next, released } = await openStream(id)
    await next()
    await api().db.schema.dropTable('jobs').execute()
    api().wakeUps.notify('job-progress')
    expect(await next()).toBeNull()
    await released
    expect(api().logged).toMatchObject([{ level: 'error', message: 'progress not streamed' }])
  })
})
