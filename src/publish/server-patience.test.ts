import { beforeEach, describe, expect, test } from 'bun:test'
import { ServerUnreachableError } from '#outbound/server-errors.ts'
import { refusal } from '#tests/support/servers/fake-repo.ts'
import { type Pause, ServerBusyError, withinTime, withPatience } from './server-patience.ts'

const startedAt = 1_000_000_000_000
/** Only pauses let time pass. */
let time = startedAt
beforeEach(() => {
  time = startedAt
})
const now = () => time
const pause: Pause = async (ms) => {
  time += ms
}
const inSeconds = (seconds: number) => String(startedAt / 1000 + seconds)
const limited = (headers: Record<string, string>) => refusal(429, 'RateLimitExceeded', headers)

/** Fails with each of these, then answers; how often it was called. */
async function outcomeOf(...failures: Error[]): Promise<{ answer: unknown; calls: number }> {
  let calls = 0
  const call = async () => {
    const failure = failures[calls]
    calls += 1
    if (failure) throw failure
    return 'answer'
  }
  const { signal } = new AbortController()
  const answer = await withPatience(call, { now, pause, signal }).catch((error: unknown) => error)
  return { answer, calls }
}

describe('repeats', () => {
  test('nothing that succeeds', async () => {
    expect(await outcomeOf()).toEqual({ answer: 'answer', calls: 1 })
  })

  test('temporary failures: faults and connections that break', async () => {
    const failures = [refusal(500, 'InternalServerError'), new ServerUnreachableError('method')]
    expect(await outcomeOf(...failures)).toEqual({ answer: 'answer', calls: 3 })
  })

  test('after a rate limit that ends soon', async () => {
    expect(await outcomeOf(limited({ 'ratelimit-reset': inSeconds(2) }))).toEqual({
      answer: 'answer',
      calls: 2,
    })
  })
})

describe('does not repeat', () => {
  test.each([
    ['a refusal', refusal(400, 'InvalidRequest')],
    ['a method that is not there', refusal(501, 'MethodNotImplemented')],
    ['a defect of ours', new TypeError('x')],
  ])('%s', async (_, failure) => {
    expect(await outcomeOf(failure)).toEqual({ answer: failure, calls: 1 })
  })

  test('after a rate limit of hours: says when to come back', async () => {
    const { answer, calls } = await outcomeOf(limited({ 'ratelimit-reset': inSeconds(3600) }))
    expect(calls).toBe(1)
    expect(answer).toBeInstanceOf(ServerBusyError)
    expect((answer as ServerBusyError).retryAt).toBe(startedAt + 3_600_000)
  })

  test('four seconds are too long', async () => {
    const { answer } = await outcomeOf(limited({ 'ratelimit-reset': inSeconds(4) }))
    expect(answer).toBeInstanceOf(ServerBusyError)
  })
})

test('a limit that ended long ago is waited for, longer each time, and in the end told', async () => {
  const past = Array.from({ length: 30 }, () => limited({ 'ratelimit-reset': inSeconds(-60) }))
  let calls = 0
  const call = async () => {
    throw past[calls++] ?? new Error('too many calls')
  }
  const { signal } = new AbortController()
  const patience = { now, pause, signal, waitMsMax: 100_000 }
  await expect(withPatience(call, patience)).rejects.toBeInstanceOf(ServerBusyError)
  expect(calls).toBeLessThan(10)
})

test('a fault that stays is thrown in the end, when a restarted server would be back', async () => {
  const fault = refusal(503, 'Unavailable')
  const { answer, calls } = await outcomeOf(fault, fault, fault, fault, fault, fault, fault)
  expect({ answer, calls }).toEqual({ answer: fault, calls: 6 })
  const seconds = (time - startedAt) / 1000
  expect([seconds > 14, seconds < 19]).toEqual([true, true])
})

describe('ends with the signal', () => {
  const pauses: [string, Error][] = [
    ['the pause after a fault', new ServerUnreachableError('method')],
    ['the pause after a rate limit', limited({ 'ratelimit-reset': inSeconds(2) })],
  ]
  test.each(pauses)('%s', async (_, failure) => {
    const stop = new AbortController()
    let calls = 0
    const call = () => {
      calls += 1
      // Once it has been answered, and the pause has begun.
      setTimeout(() => stop.abort(new Error('noticed after the pause')))
      return Promise.reject(failure)
    }
    const patience = { now, signal: stop.signal }
    await expect(withPatience(call, patience)).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls).toBe(1)
  })

  test('nothing is called after it', async () => {
    const signal = AbortSignal.abort(new Error('stopped'))
    const call = () => Promise.reject(new Error('called nevertheless'))
    await expect(withPatience(call, { now, signal })).rejects.toThrow('stopped')
  })
})

describe('within time', () => {
  test('what work resolves to, or throws', async () => {
    expect(await withinTime('x', async () => 1)).toBe(1)
    const failure = new Error('its own')
    await expect(withinTime('x', () => Promise.reject(failure))).rejects.toBe(failure)
  })

  const unreachable = new ServerUnreachableError('x')
  const works: [string, (signal: AbortSignal) => Promise<unknown>][] = [
    ['a server that never answers', () => new Promise(() => undefined)],
    [
      'one that fails again and again',
      (signal) =>
        withPatience(() => Promise.reject(unreachable), {
          now,
          signal,
          faultsMax: Number.POSITIVE_INFINITY,
        }),
    ],
  ]
  for (const [what, work] of works) {
    test(`${what} is unreachable`, async () => {
      await expect(withinTime('x', work, 5)).rejects.toBeInstanceOf(ServerUnreachableError)
    })
  }
})
