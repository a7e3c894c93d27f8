import { expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { eventually } from '#tests/support/eventually.ts'
import { EventLoopMonitor } from './event-loop-delay.ts'

test('a blocked event loop is seen', async () => {
  using monitor = new EventLoopMonitor()
  await eventually(async () => {
    const until = performance.now() + 60
    while (performance.now() < until) void 0
    await setImmediate()
    expect(monitor.read().max).toBeGreaterThan(0.03)
  })
})

test('the worst of the ended minute and the current one', () => {
  let [now, nanos] = [0, 5e9]
  const monitor = {
    ...{ enable: () => true, disable: () => true, percentile: () => nanos },
    reset() {
      nanos = 0
    },
  }
  using delays = new EventLoopMonitor({ now: () => now, monitor })
  const maxAt = (ms: number): number => {
    now = ms
    return delays.read().max
  }
  expect([maxAt(1), maxAt(60_000), maxAt(60_001), maxAt(120_001), maxAt(120_002)]).toEqual([
    5, 5, 5, 5, 0,
  ])
})
