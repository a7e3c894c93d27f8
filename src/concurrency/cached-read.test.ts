import { beforeEach, expect, test } from 'bun:test'
import { cachedRead } from './cached-read.ts'

let now: number
let reads: number
let tookMs: number
let read: () => Promise<number>
beforeEach(() => {
  now = 0
  reads = 0
  read = cachedRead(
    async () => {
      now += tookMs
      return ++reads
    },
    () => now,
  )
})

test('what took long is kept for a hundred times as long', async () => {
  tookMs = 10
  await read()
  now += 999
  expect(await read()).toBe(1)
  now += 1
  expect(await read()).toBe(2)
})

test('what was quick is read each time', async () => {
  tookMs = 9
  expect([await read(), await read()]).toEqual([1, 2])
})

test('nothing is kept for longer than five minutes', async () => {
  tookMs = 10_000
  await read()
  now += 5 * 60_000 - 1
  expect(await read()).toBe(1)
  now += 1
  expect(await read()).toBe(2)
})

test('callers share a reading, and a failure is not kept', async () => {
  const answer = Promise.withResolvers<number>()
  let asked = 0
  const shared = cachedRead(() => {
    asked++
    return asked === 1 ? answer.promise : Promise.resolve(2)
  })
  const both = Promise.allSettled([shared(), shared()])
  answer.reject(new Error('away'))
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect([asked, await shared()]).toEqual([1, 2])
})
