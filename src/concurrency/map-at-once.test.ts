import { expect, test } from 'bun:test'
import { mapAtOnce } from './map-at-once.ts'

const never = new AbortController().signal

/** Resolves when it was passed `count` times. */
class Gate {
  readonly #open = Promise.withResolvers<void>()
  #missing: number

  constructor(count: number) {
    this.#missing = count
  }

  async pass(): Promise<void> {
    if (--this.#missing === 0) this.#open.resolve()
    await this.#open.promise
  }
}

/** Goes on for a while after its signal. */
async function lingering(signal: AbortSignal, log: string[]): Promise<never> {
  const { promise, resolve } = Promise.withResolvers<void>()
  signal.addEventListener('abort', () => resolve())
  await promise
  for (let i = 0; i < 10; i++) await Promise.resolve()
  log.push('ended')
  throw signal.reason
}

test('results are in order, and at most `atOnce` run at a time', async () => {
  const gate = new Gate(3)
  let running = 0
  let most = 0
  const results = await mapAtOnce([3, 1, 2, 0, 5, 4], { atOnce: 3, signal: never }, async (n) => {
    most = Math.max(most, ++running)
    await gate.pass()
    running -= 1
    return n * 10
  })
  expect(results).toEqual([30, 10, 20, 0, 50, 40])
  expect(most).toBe(3)
})

test('the first failure aborts the others, and nothing runs when it is thrown', async () => {
  const gate = new Gate(3)
  const log: string[] = []
  const failure = new Error('first')
  const mapping = mapAtOnce([0, 1, 2, 3, 4], { atOnce: 3, signal: never }, async (n, signal) => {
    log.push(`start ${n}`)
    await gate.pass()
    if (n === 1) throw failure
    return await lingering(signal, log)
  })
  await expect(mapping).rejects.toBe(failure)
  expect(log).toEqual(['start 0', 'start 1', 'start 2', 'ended', 'ended'])
})

test('so does the signal', async () => {
  const gate = new Gate(3)
  const log: string[] = []
  const stop = new AbortController()
  const mapping = mapAtOnce([0, 1, 2], { atOnce: 2, signal: stop.signal }, async (_, signal) => {
    void gate.pass()
    return await lingering(signal, log)
  })
  void gate.pass().then(() => stop.abort(new Error('stopped')))
  await expect(mapping).rejects.toThrow('stopped')
  expect(log).toEqual(['ended', 'ended'])
})

test('an aborted signal starts nothing', async () => {
  let started = 0
  const late = AbortSignal.abort(new Error('late'))
  const mapping = mapAtOnce([1], { atOnce: 1, signal: late }, async () => started++)
  await expect(mapping).rejects.toThrow('late')
  expect(started).toBe(0)
})
