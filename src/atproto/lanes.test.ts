import { expect, test } from 'bun:test'
import { eventually } from '#tests/support/eventually.ts'
import { GivesWayError, type Lane, Lanes } from './lanes.ts'

/** Lanes for four, and work in them that ends only when it has to give way. */
function open(slowAfterMs: number) {
  const lanes = new Lanes(4, { slowAfterMs })
  const gaveWay: number[] = []
  const opened = new Map<number, Lane>()
  let slow = 0
  const start = (n: number, stays = false): void => {
    const run = async (lane: Lane): Promise<void> => {
      const { signal } = lane
      opened.set(n, lane)
      const { promise, resolve } = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => resolve())
      await promise
      expect(signal.reason).toBeInstanceOf(GivesWayError)
      gaveWay.push(n)
    }
    void lanes.start({ run, onSlow: () => void slow++, stays })
  }
  const allSlow = (count: number) => eventually(async () => expect(slow).toBe(count))
  const lane = (n: number): Lane => opened.get(n) as Lane
  return { lanes, start, lane, gaveWay, allSlow }
}
const hour = 3_600_000

test('so many at once, and room again when one ends, however it does', async () => {
  const lanes = new Lanes(4)
  const ends = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const done = ends.map(({ promise }) => lanes.start({ run: () => promise, onSlow: () => {} }))
  expect(lanes.room).toBe(0)
  ends[0]?.resolve()
  await done[0]
  expect(lanes.room).toBe(1)
  ends[1]?.reject(new Error('failed'))
  await expect(done[1]).rejects.toThrow('failed')
  expect(lanes.room).toBe(2)
})

test('who is slow is in nobody’s way, up to 32', async () => {
  const { lanes, start, allSlow } = open(1)
  for (let n = 0; n < 36; n++) {
    expect(lanes.room).toBeGreaterThan(0)
    start(n)
    await allSlow(n + 1)
    expect(lanes.room).toBe(n < 32 ? 4 : 35 - n)
  }
})

test('of more slow ones the oldest give way, one for each who waits', async () => {
  const { lanes, start, gaveWay, allSlow } = open(1)
  for (let n = 0; n < 36; n++) {
    start(n)
    await allSlow(n + 1)
  }
  expect(gaveWay).toEqual([])
  lanes.makeRoom()
  lanes.makeRoom()
  await eventually(async () => expect(lanes.room).toBe(1))
  expect(gaveWay).toEqual([0])
  lanes.makeRoom()
  await eventually(async () => expect(lanes.room).toBe(2))
  expect(gaveWay).toEqual([0, 1])
})

test('who has just begun gives way to nobody', () => {
  const { lanes, start, gaveWay } = open(hour)
  for (let n = 0; n < 4; n++) start(n)
  lanes.makeRoom()
  expect(lanes.room).toBe(0)
  expect(gaveWay).toEqual([])
})

test('who holds much takes up room however slow, and gives way before those aside', async () => {
  const { lanes, start, gaveWay, allSlow } = open(1)
  start(0)
  for (let n = 1; n <= 4; n++) start(n, true)
  await allSlow(5)
  expect(lanes.room).toBe(0)
  lanes.makeRoom()
  await eventually(async () => expect(lanes.room).toBe(1))
  expect(gaveWay).toEqual([1])
})

test('who lets go what it holds goes aside, and does not come back', async () => {
  const { lanes, start, lane, allSlow } = open(1)
  start(0, true)
  await allSlow(1)
  expect([lanes.room, lane(0).isAside]).toEqual([3, false])
  let held = true
  lane(0).mayGoAside(() => {
    held = false
  })
  expect({ held, room: lanes.room }).toEqual({ held: false, room: 4 })
  expect(lane(0).stay()).toBe(false)
  expect(lanes.room).toBe(4)
})

test('who is quick holds what it holds, and comes back', async () => {
  const { lanes, start, lane } = open(hour)
  start(0, true)
  lane(0).mayGoAside(() => {
    throw new Error('let go')
  })
  expect(lane(0).stay()).toBe(true)
  lane(0).becomeSlow()
  expect(lanes.room).toBe(3)
})
