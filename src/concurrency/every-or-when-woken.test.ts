import { describe, expect, test } from 'bun:test'
import { everyOrWhenWoken, repeatEvery } from './every-or-when-woken.ts'
import { WakeUp } from './wake-up.ts'

describe('work that returns when it is due again', () => {
  const hourMs = 3_600_000

  /** Runs until the work was done as often as there are times to wait. */
  async function loop(waitsMs: readonly number[], during: (n: number, wakeUp: WakeUp) => void) {
    const stop = new AbortController()
    const wakeUp = new WakeUp()
    let done = 0
    const work = async (): Promise<number> => {
      const ms = waitsMs[done++] ?? 0
      if (done === waitsMs.length) stop.abort()
      during(done, wakeUp)
      return ms
    }
    await everyOrWhenWoken(work, { signal: stop.signal, wakeUp })
    return done
  }

  test('runs at its time, or immediately', async () => {
    expect(await loop([1, 0, 1, hourMs], () => {})).toBe(4)
  })

  test('is done when it is woken, also if that was while it was done', async () => {
    expect(await loop([hourMs, hourMs], (_, wakeUp) => wakeUp.wake())).toBe(2)
    const later = (_: number, wakeUp: WakeUp) => setImmediate(() => wakeUp.wake())
    expect(await loop([hourMs, hourMs], later)).toBe(2)
  })

  test('throws, unless `onError` resolves: then it runs again', async () => {
    const fails = (n: number): void => {
      if (n === 1) throw new Error('failed')
    }
    await expect(loop([hourMs, hourMs], fails)).rejects.toThrow('failed')
    const stop = new AbortController()
    const errors: unknown[] = []
    const onError = async (error: unknown): Promise<void> => {
      errors.push(error)
      if (errors.length === 2) stop.abort()
    }
    const work = () => Promise.reject('failed')
    await everyOrWhenWoken(work, { signal: stop.signal, onError })
    expect(errors).toEqual(['failed', 'failed'])
  })
})

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
