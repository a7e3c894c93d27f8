import { expect, test } from 'bun:test'
import { BytePace } from './byte-pace.ts'

const windowMs = 30_000

function start() {
  const clock = { now: 7_000 }
  const pace = new BytePace({ windowMs, graceMs: 3_000, elapsed: () => clock.now })
  return { clock, pace }
}

test.each([
  [2_999, null],
  [3_000, 200],
  [6_000, 100],
  [windowMs, 20],
])('600 bytes after %d ms are %p bytes per second', (ms, expected) => {
  const { clock, pace } = start()
  pace.add(600)
  clock.now += ms
  expect(pace.bytesPerSecond).toBe(expected)
  expect(pace.elapsedMs).toBe(ms)
})

test('a window ends once its time is over, and not before', () => {
  const { clock, pace } = start()
  clock.now += windowMs - 1
  expect(pace.windowLeftMs).toBe(1)
  expect(pace.endWindow()).toBe(false)
  clock.now += 1
  expect(pace.windowLeftMs).toBe(0)
  expect(pace.endWindow()).toBe(true)
  expect(pace.windowLeftMs).toBe(windowMs)
  expect(pace.endWindow()).toBe(false)
})

test('after the first window, the pace is that of the last one that ended', () => {
  const { clock, pace } = start()
  pace.add(600)
  clock.now += windowMs
  pace.endWindow()
  pace.add(9_000)
  clock.now += windowMs - 1
  expect(pace.bytesPerSecond).toBe(20)
  clock.now += 1
  pace.endWindow()
  expect(pace.bytesPerSecond).toBe(300)
  expect(pace.bytes).toBe(9_600)
})

test('a window that ends late is as long as it was', () => {
  const { clock, pace } = start()
  pace.add(600)
  clock.now += 2 * windowMs
  pace.endWindow()
  expect(pace.bytesPerSecond).toBe(10)
  expect(pace.windowLeftMs).toBe(windowMs)
})

test('nothing for a whole window is a pace of 0, whatever came before', () => {
  const { clock, pace } = start()
  pace.add(1_000_000)
  for (let window = 0; window < 2; window++) {
    clock.now += windowMs
    pace.endWindow()
  }
  expect(pace.bytesPerSecond).toBe(0)
})

test('while its clock stands still, no time is counted', () => {
  const { clock, pace } = start()
  clock.now += 3_000
  pace.add(300)
  pace.add(300)
  expect(pace.bytesPerSecond).toBe(200)
  expect(pace.windowLeftMs).toBe(windowMs - 3_000)
})
