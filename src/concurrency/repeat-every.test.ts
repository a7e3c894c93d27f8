import { expect, test } from 'bun:test'
import { repeatEvery } from './repeat-every.ts'

/** Runs until the work was done `times` times; returns what was logged. */
async function repeat(
  times: number,
  rhythm: { firstAfterMs?: number },
  work: (time: number) => Promise<void> = async () => {},
): Promise<string[]> {
  const stop = new AbortController()
  const failures: string[] = []
  const silent = () => {}
  const error = (failure: string): void => void failures.push(failure)
  let time = 0
  await repeatEvery(
    { everyMs: 1, failure: 'not done', ...rhythm },
    async () => {
      time += 1
      if (time === times) stop.abort()
      await work(time)
    },
    { log: { debug: silent, info: silent, warn: silent, error }, signal: stop.signal },
  )
  expect(time).toBe(times)
  return failures
}

test('again and again, until the signal ends it', async () => {
  expect(await repeat(3, {})).toEqual([])
  expect(await repeat(3, { firstAfterMs: 1 })).toEqual([])
})

test('what fails is logged and done again; stopping is not failing', async () => {
  const failures = await repeat(3, {}, () => Promise.reject(new Error('away')))
  expect(failures).toEqual(['not done', 'not done'])
})

test.each([
  ['first', { everyMs: 1, firstAfterMs: 3_600_000 }, 0],
  ['next', { everyMs: 3_600_000 }, 1],
])('ended while it waits for its %s time, it is not done', async (_, rhythm, times) => {
  const silent = () => {}
  const log = { debug: silent, info: silent, warn: silent, error: silent }
  const stop = new AbortController()
  let done = 0
  const work = async () => {
    done += 1
  }
  const running = repeatEvery({ ...rhythm, failure: '' }, work, { log, signal: stop.signal })
  await Bun.sleep(0)
  stop.abort()
  await running
  expect(done).toBe(times)
})
