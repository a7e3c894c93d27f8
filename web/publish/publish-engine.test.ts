import { describe, expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import { pickedOf, ReadError } from '#web/publish/files/picked-file.ts'
import type { JobResult } from '#web/publish/send/job.ts'
import type { PublishRequest, Send } from '#web/publish/send/publish-request.ts'
import { BaseChangedError, NoDeploysError } from '#web/publish/send/send-deploy.ts'
import { JobFailedError } from '#web/publish/send/watch-job.ts'
import { ApiError } from '#web/server/api.ts'
import { PublishEngine } from './publish-engine.ts'

const request: PublishRequest = { siteName: 'blog', files: [] }
const file = { ...pickedOf('index.html', new Blob(['x'])), path: 'index.html' as SitePath }
const result = { siteName: 'blog', url: 'http://x/', live: true } as JobResult
const sent = { filesTotal: 2, files: 1, bytesTotal: 20, bytes: 10 }

describe('publishing', () => {
  test('reads, sends, goes live, and is done', async () => {
    const { engine, stages } = start({
      sendDeploy: async (_, { onRead, onSend, onBegun }) => {
        onRead({ files: 1, bytes: 2 })
        onBegun('d1')
        onSend(sent)
        return 'd1'
      },
    })
    await engine.publish(request)
    expect(stages).toEqual(['reading', 'sending', 'going-live', 'done'])
    expect(engine.state).toMatchObject({ stage: 'done', result, sent })
  })

  test('takes the form where there are no deploys, and for what only the service opens', async () => {
    const used: string[] = []
    const noDeploys: Send = async () => {
      throw new NoDeploysError(404, 'Not found')
    }
    const form: Send = async () => {
      used.push('form')
      return 'j1'
    }
    await start({ sendDeploy: noDeploys, sendForm: form }).engine.publish(request)
    await start({ sendForm: form }).engine.publish({ ...request, isSealed: true })
    expect(used).toEqual(['form', 'form'])
  })

  test('remembers the job until its end is known', async () => {
    const { engine, remembered } = start()
    await engine.publish(request)
    expect(remembered).toEqual(['+d1', '-d1'])
  })

  test('sends nothing before what a reload goes on from is stored', async () => {
    const done: string[] = []
    const stored = Promise.withResolvers<void>()
    const { engine } = start({
      onBegun: (deployId) => stored.promise.then(() => void done.push(`stored ${deployId}`)),
      sendDeploy: async (_, { onBegun }) => {
        await onBegun('d1')
        done.push('sends')
        return 'd1'
      },
    })
    const publishing = engine.publish(request)
    stored.resolve()
    await publishing
    expect(done).toEqual(['stored d1', 'sends'])
  })

  test('says that it waits for the account’s server while that is silent, and that it goes on', async () => {
    const answered = Promise.withResolvers<void>()
    const { engine } = start({
      silenceMs: 1,
      sendDeploy: async (_, { onRead, onSend }) => {
        onRead({ files: 1, bytes: 1 })
        await answered.promise
        onSend(sent)
        return await new Promise(() => undefined)
      },
    })
    const waitings: unknown[] = []
    const isSending = Promise.withResolvers<void>()
    engine.subscribe(() => {
      const { state } = engine
      if ('waiting' in state) waitings.push([state.stage, state.waiting])
      if ('waiting' in state && state.waiting === 'account') answered.resolve()
      if (state.stage === 'sending') isSending.resolve()
    })
    void engine.publish({ ...request, files: [file] })
    await isSending.promise
    expect(waitings).toEqual([
      ['reading', null],
      ['reading', 'account'],
      ['sending', null],
    ])
    engine.dispose()
  })

  test('is not begun while another one runs', async () => {
    let sends = 0
    const never: Send = () => new Promise(() => sends++)
    const { engine } = start({ sendDeploy: never })
    void engine.publish(request)
    void engine.publish(request)
    expect(sends).toBe(1)
  })
})

const failures: [string, Error, string][] = [
  ['refused', new ApiError(413, 'too large'), 'too large'],
  ['conflict', new BaseChangedError(409, 'it changed'), 'it changed'],
  ['files', new ReadError('it is gone'), 'it is gone'],
  [
    'refused',
    new TypeError('x is not a function'),
    'Something went wrong in this page. Try again.',
  ],
]
test.each(failures)('%s: %s', async (kind, error, message) => {
  const { engine } = start({ sendDeploy: () => Promise.reject(error) })
  await engine.publish(request)
  expect(engine.state).toEqual({
    stage: 'failed',
    siteName: 'blog',
    kind: kind as 'files',
    message,
    ...(error instanceof TypeError && { unforeseen: error }),
  })
})

test('tries again with the deploy that is open, and anew after a job that failed', async () => {
  const asked: unknown[] = []
  const ends = [new ApiError(null, 'broke off'), null, null]
  const { engine } = start({
    sendDeploy: async ({ deployId }, { onBegun }) => {
      asked.push(deployId)
      onBegun(`d${asked.length}`)
      const error = ends[asked.length - 1]
      if (error) throw error
      return 'd1'
    },
    watch: async () => {
      if (asked.length === 2) throw new JobFailedError(null, 'the server said no')
      return result
    },
  })
  await engine.publish(request)
  await engine.retry()
  await engine.retry()
  expect(asked).toEqual([undefined, 'd1', null])
  expect(engine.state.stage).toBe('done')
})

describe('cancelling', () => {
  test('while it is read or sent ends it', async () => {
    const { engine } = start({ sendDeploy: untilAborted })
    const publishing = engine.publish(request)
    engine.cancel()
    expect(engine.state).toMatchObject({ isCancelling: true })
    await publishing
    expect(engine.state).toMatchObject({ stage: 'failed', kind: 'cancelled' })
  })

  test('when the job has just begun ends the job', async () => {
    const cancelled: string[] = []
    const { engine } = start({
      sendDeploy: (_, { signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('d1'))),
      cancelJob: async (id) => void cancelled.push(id),
    })
    const publishing = engine.publish(request)
    engine.cancel()
    await publishing
    expect(cancelled).toEqual(['d1'])
  })

  test('too late says why not, and goes on', async () => {
    const { promise, resolve } = Promise.withResolvers<JobResult>()
    const { engine } = start({
      watch: () => promise,
      cancelJob: () => Promise.reject(new ApiError(409, 'It is too late.')),
    })
    const publishing = engine.publish(request)
    await new Promise(setImmediate)
    engine.cancel()
    await new Promise(setImmediate)
    expect(engine.state).toMatchObject({ isCancelling: false, notice: 'It is too late.' })
    resolve(result)
    await publishing
    expect(engine.state.stage).toBe('done')
  })
})

describe('a job of an earlier page', () => {
  test('is followed to its end', async () => {
    const { engine } = start()
    await engine.resume({ jobId: 'j1', siteName: 'blog' })
    expect(engine.state.stage).toBe('done')
  })

  test('of another account is nothing', async () => {
    const { engine } = start({ watch: () => Promise.reject(new ApiError(403, 'Unauthorized')) })
    await engine.resume({ jobId: 'j1', siteName: 'blog' })
    expect(engine.state.stage).toBe('idle')
  })
})

const untilAborted: Send = (_, { signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

type Options = NonNullable<ConstructorParameters<typeof PublishEngine>[0]>

function start(options: Options = {}) {
  const remembered: string[] = []
  const engine = new PublishEngine({
    sendDeploy: async () => 'd1',
    watch: async () => result,
    remember: ({ jobId }) => remembered.push(`+${jobId}`),
    forget: (jobId) => remembered.push(`-${jobId}`),
    ...options,
  })
  const stages: string[] = []
  engine.subscribe(() => {
    const { stage } = engine.state
    if (stages.at(-1) !== stage) stages.push(stage)
  })
  return { engine, remembered, stages }
}
