import { expect, test } from 'bun:test'
import { HostBusyError, HostSlots } from './host-slots.ts'

const hosts = () => new HostSlots({ slotsMax: 2, waitingMax: 2 })

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

test('leaving twice frees one slot', async () => {
  const slots = hosts()
  const leave = await slots.take('a')
  await slots.take('a')
  leave()
  leave()
  await slots.take('a')
  expect(await isSettled(slots.take('a'))).toBe(false)
})
