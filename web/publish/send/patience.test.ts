import { describe, expect, test } from 'bun:test'
import { ApiError } from '#web/server/api.ts'
import { patiently, type Waiting } from './patience.ts'

describe('patiently', () => {
  const temporary: (number | null)[] = [null, 408, 429, 502, 503, 504, 507]
  test.each(temporary)('tries again after %j', async (status) => {
    const { result, tries } = await attempt([failure(status), failure(status)])
    expect(result).toBe('done')
    expect(tries).toBe(3)
  })

  test.each([400, 401, 403, 404, 409, 413, 500])('does not try again after %j', async (status) => {
    expect((await attempt([failure(status)])).tries).toBe(1)
  })

  test('gives up after twelve tries', async () => {
    const { result, tries } = await attempt(Array(20).fill(failure(503)))
    expect(result).toContain('status 503')
    expect(tries).toBe(12)
  })

  test('waits longer each time, and never half a minute', async () => {
    const { delays } = await attempt(Array(20).fill(failure(503)))
    expect(delays[0]).toBeLessThanOrEqual(500)
    expect(delays[5]).toBeGreaterThan(5000)
    expect(Math.max(...delays)).toBeLessThanOrEqual(20_000)
  })

  test('waits as long as the server says, unless that is long', async () => {
    const headers = (seconds: string) => ({ headers: new Headers({ 'retry-after': seconds }) })
    const soon = new ApiError(429, 'later', headers('10'))
    expect((await attempt([soon])).delays).toEqual([10_000])
    expect((await attempt([new ApiError(429, 'tomorrow', headers('3600'))])).result).toBe(
      'tomorrow',
    )
  })

  test('says why it waits, and that it does no more', async () => {
    expect((await attempt([failure(503)])).waits).toEqual(['service', null])
    expect((await attempt([failure(502)])).waits).toEqual(['account', null])
    expect((await attempt([failure(null)], false)).waits).toEqual(['offline', null])
    expect((await attempt([])).waits).toEqual([])
  })

  test('without a connection it waits far longer than for a server', async () => {
    expect((await attempt(Array(50).fill(failure(null)), false)).result).toBe('done')
  })

  test('ends with the reason of its signal', async () => {
    const abort = new AbortController()
    const work = async () => {
      abort.abort(new Error('cancelled'))
      throw failure(null)
    }
    const patience = { signal: abort.signal, onWait: () => {} }
    await expect(patiently(work, patience)).rejects.toThrow('cancelled')
  })
})

const failure = (status: number | null) => new ApiError(status, `status ${status}`)

/** Fails with each of these, then works. */
async function attempt(failures: Error[], isOnline = true) {
  const waits: (Waiting | null)[] = []
  const delays: number[] = []
  let tries = 0
  const work = async () => {
    const error = failures[tries++]
    if (error !== undefined) throw error
    return 'done'
  }
  const patience = {
    signal: new AbortController().signal,
    onWait: (why: Waiting | null) => waits.push(why),
    delay: async (ms: number) => void delays.push(ms),
    isOnline: () => isOnline,
  }
  const result = await patiently(work, patience).catch((error: Error) => error.message)
  return { result, tries, waits, delays }
}
