import { expect, test } from 'bun:test'
import { HostBusyError, HostSlots } from './host-slots.ts'

// Longer than any run: who still waits when a test has ended must not be refused in the middle of another.
const hosts = (waitMsMax = 60 * 60_000) => new HostSlots({ slotsMax: 2, waitingMax: 2, waitMsMax })

/** Whether a promise has settled by the time all work at hand is done. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  for (let i = 0; i < 10; i++) await Promise.resolve()
  return settled
}

test('as many as there are slots come in, the next waits for one to leave', async () => {
  const slots = hosts()
  const leave = await slots.take('a')
  await slots.take('a')
  const third = slots.take('a')
  expect(await isSettled(third)).toBe(false)
  leave()
  expect(await isSettled(third)).toBe(true)
})

test('hosts do not wait for each other', async () => {
  const slots = hosts()
  await slots.take('a')
  await slots.take('a')
  expect(await isSettled(slots.take('b'))).toBe(true)
})

test('who waits comes in by order of arrival, before whoever comes later', async () => {
  const slots = hosts()
  const leave = [await slots.take('a'), await slots.take('a')]
  const order: number[] = []
  const waiting = [1, 2].map((n) => slots.take('a').then(() => order.push(n)))
  leave[0]?.()
  const late = slots.take('a')
  leave[1]?.()
  await Promise.all(waiting)
  expect(order).toEqual([1, 2])
  expect(await isSettled(late)).toBe(false)
})

test('too many who wait are refused', async () => {
  const slots = hosts()
  await slots.take('a')
  await slots.take('a')
  void slots.take('a')
  void slots.take('a')
  await expect(slots.take('a')).rejects.toBeInstanceOf(HostBusyError)
})

test('who waits is sent away by its signal, and leaves its place to others', async () => {
  const slots = hosts()
  const leave = await slots.take('a')
  await slots.take('a')
  const stop = new AbortController()
  const aborted = slots.take('a', stop.signal)
  const patient = slots.take('a')
  stop.abort(new Error('stopped'))
  await expect(aborted).rejects.toThrow('stopped')
  await expect(slots.take('a', stop.signal)).rejects.toThrow('stopped')
  leave()
  expect(await isSettled(patient)).toBe(true)
})

test('who waits too long is refused, and leaves its place to others', async () => {
  const slots = hosts(5)
  const leave = await slots.take('a')
  await slots.take('a')
  await expect(slots.take('a')).rejects.toBeInstanceOf(HostBusyError)
  const next = slots.take('a')
  leave()
  expect(await isSettled(next)).toBe(true)
})

test('leaving twice frees one slot', async () => {
  const slots = hosts()
  const leave = await slots.take('a')
  await slots.take('a')
  leave()
  leave()
  await slots.take('a')
  expect(await isSettled(slots.take('a'))).toBe(false)
})
