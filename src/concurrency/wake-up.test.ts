import { expect, test } from 'bun:test'
import { WakeUp } from './wake-up.ts'

const never = 60_000

/** The result for a wait that continues after everything that was due has run. */
const aTurnLater = () => new Promise<string>((resolve) => setImmediate(resolve, 'waits'))

test('one before the wait is not lost, and many count once', async () => {
  const wakeUp = new WakeUp()
  wakeUp.wake()
  wakeUp.wake()
  await wakeUp.wait(never)
  const second = wakeUp.wait(never).then(() => 'woken')
  expect(await Promise.race([second, aTurnLater()])).toBe('waits')
  wakeUp.wake()
  expect(await second).toBe('woken')
})

test('the wait ends after its time, on abort, and immediately when aborted before', async () => {
  const wakeUp = new WakeUp()
  await wakeUp.wait(1)
  const stop = new AbortController()
  const waiting = wakeUp.wait(never, stop.signal)
  stop.abort()
  await waiting
  await wakeUp.wait(never, stop.signal)
})

test('a taken wake-up needs no wait', async () => {
  const wakeUp = new WakeUp()
  wakeUp.wake()
  expect([wakeUp.isWoken, wakeUp.take(), wakeUp.isWoken, wakeUp.take()]).toEqual([
    true,
    true,
    false,
    false,
  ])
})
