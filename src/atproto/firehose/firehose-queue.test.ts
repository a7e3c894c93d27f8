import { expect, test } from 'bun:test'
import { alice } from '#tests/support/sample-rows.ts'
import type { FirehoseEvent } from './firehose-event.ts'
import { FirehoseQueue, queueEventsMax } from './firehose-queue.ts'

const identity = (cursor: number): FirehoseEvent => ({ kind: 'identity', did: alice, cursor })

function all(queue: FirehoseQueue): FirehoseEvent[] {
  const events: FirehoseEvent[] = []
  for (let event = queue.take(); event; event = queue.take()) events.push(event)
  return events
}

test('events come out in their order', () => {
  const queue = new FirehoseQueue()
  for (const cursor of [1, 2, 3]) queue.push(identity(cursor))
  expect(all(queue)).toEqual([identity(1), identity(2), identity(3)])
  expect(queue.take()).toBeUndefined()
})

test('what was passed is one event, however much it was', () => {
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

test('is full at its limit, and has room at half of it', () => {
  const queue = new FirehoseQueue()
  for (let i = 1; i < queueEventsMax; i++) queue.push(identity(i))
  expect([queue.isFull, queue.hasRoom]).toEqual([false, false])
  queue.push(identity(queueEventsMax))
  expect(queue.isFull).toBe(true)
  for (let i = queueEventsMax; i > queueEventsMax / 2 + 1; i--) queue.take()
  expect(queue.hasRoom).toBe(false)
  queue.take()
  expect(queue.hasRoom).toBe(true)
})

test('who waits is woken by the next', async () => {
  const queue = new FirehoseQueue()
  for (const arrive of [() => queue.push(identity(1)), () => queue.pass(2)]) {
    const arrival = queue.arrival()
    arrive()
    await arrival
    await queue.arrival()
    expect(queue.take()).toBeDefined()
  }
})

test('who waits is woken by the end', async () => {
  const queue = new FirehoseQueue()
  const arrival = queue.arrival()
  queue.close()
  await arrival
  await queue.arrival()
  expect([queue.isClosed, queue.take()]).toEqual([true, undefined])
})
