import { expect, test } from 'bun:test'
import { timeSlices } from './yield-event-loop.ts'

test('work yields when its slice of time is over, and not before', async () => {
  let now = 0
  let turns = 0
  const turn = async () => {
    turns += 1
    // What others do meanwhile is not its own.
    now += 100
  }
  const yieldWhenDue = timeSlices({ now: () => now, turn })
  const after = async (ms: number) => {
    now += ms
    await yieldWhenDue()
    return turns
  }
  expect(await after(0)).toBe(0)
  expect(await after(1.9)).toBe(0)
  expect(await after(0.1)).toBe(1)
  expect(await after(1.9)).toBe(1)
  expect(await after(5)).toBe(2)
})
