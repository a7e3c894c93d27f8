import { expect, test } from 'bun:test'
import { alice } from '#tests/support/database/sample-rows.ts'
import type { FirehoseEvent } from './firehose-format.ts'
import { FirehoseQueue, queueEventsMax } from './firehose-queue.ts'

const identity = (cursor: number): FirehoseEvent => ({ kind: 'identity', did: alice, cursor })

const all = (queue: FirehoseQueue): FirehoseEvent[] => queue.take(Infinity)

test('events come out in their order', () => {
  const queue = new FirehoseQueue()
  for (const cursor of [1, 2, 3]) queue.push(identity(cursor))
  expect(all(queue)).toEqual([identity(1), identity(2), identity(3)])
  expect(all(queue)).toEqual([])
})

test('consecutive passed cursors are one event', () => {
  const queue = new FirehoseQueue()
  for (const cursor of [1, 2, 3]) queue.pass(cursor)
  queue.push(identity(4))
  for (const cursor of [5, 6]) queue.pass(cursor)
  expect(all(queue)).toEqual([
    { kind: 'passed', cursor: 3 },
    identity(4),
    { kind: 'passed', cursor: 6 },
  ])
})

test('is full at its limit, and has capacity again at half of it', () => {
  const queue = new FirehoseQueue()
  for (let i = 1; i < queueEventsMax; i++) queue.push(identity(i))
  expect([queue.isFull, queue.hasCapacity]).toEqual([false, false])
  queue.push(identity(queueEventsMax))
  expect(queue.isFull).toBe(true)
  expect(queue.take(queueEventsMax / 2 - 1)).toHaveLength(queueEventsMax / 2 - 1)
  expect(queue.hasCapacity).toBe(false)
  queue.take(1)
  expect(queue.hasCapacity).toBe(true)
})

test('the next event ends the wait', async () => {
  const queue = new FirehoseQueue()
  for (const arrive of [() => queue.push(identity(1)), () => queue.pass(2)]) {
    const arrival = queue.arrival()
    arrive()
    await arrival
    await queue.arrival()
    expect(queue.take(1)).toHaveLength(1)
  }
})

test('closing ends the wait', async () => {
  const queue = new FirehoseQueue()
  const arrival = queue.arrival()
  queue.close()
  await arrival
  await queue.arrival()
  expect([queue.isClosed, queue.take(1)]).toEqual([true, []])
})
