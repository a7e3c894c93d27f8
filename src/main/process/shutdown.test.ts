import { afterEach, beforeEach, expect, jest, test } from 'bun:test'
import { countDown } from './shutdown.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Milliseconds from the beginning of the shutdown to each of its stages. */
function stagesOf(secondsMax: number, begun = new AbortController()): [number, number] {
  using shutdown = countDown(begun.signal, secondsMax)
  begun.abort()
  let ms = 0
  const msUntil = (stage: AbortSignal): number => {
    for (; !stage.aborted && ms < 100_000; ms++) jest.advanceTimersByTime(1)
    return ms
  }
  return [msUntil(shutdown.lastCall), msUntil(shutdown.over)]
}

test.each([
  [30, [27_000, 29_000]],
  [5, [2_000, 4_000]],
  // Not before it has begun.
  [2, [1, 1_000]],
  [1, [1, 1]],
] as [number, [number, number]][])(
  'of %i seconds, uploads get the last three and what is cut the last',
  (seconds, stages) => {
    expect(stagesOf(seconds)).toEqual(stages)
  },
)

test('nothing ends before the signal, nor after whoever began it is done', () => {
  const begun = new AbortController()
  const shutdown = countDown(begun.signal, 5)
  jest.advanceTimersByTime(100_000)
  expect(shutdown.lastCall.aborted).toBeFalse()
  begun.abort()
  shutdown[Symbol.dispose]()
  jest.advanceTimersByTime(100_000)
  expect([shutdown.lastCall.aborted, shutdown.over.aborted]).toEqual([false, false])
})

test('one that has begun already counts from now', () => {
  const begun = new AbortController()
  begun.abort()
  expect(stagesOf(5, begun)).toEqual([2_000, 4_000])
})
