import { beforeEach, expect, test } from 'bun:test'
import { RequestMetrics } from './request-metrics.ts'
import { RequestWindow } from './request-window.ts'

const minuteMs = 60_000
let now: number
let metrics: RequestMetrics
beforeEach(() => {
  now = 1_000_000
  metrics = new RequestMetrics({ now: () => now })
})

function minute(...observed: Parameters<RequestMetrics['observe']>[]): void {
  for (const observation of observed) metrics.observe(...observation)
  now += minuteMs
  metrics.endMinute()
}

const totalOf = (windowMs: number): number =>
  metrics.window('edge', windowMs).summary().totalRequests

test('a window has the minutes that ended in it, and the current one', () => {
  minute(['edge', 200, 10], ['edge', 200, 10])
  minute(['edge', 200, 10])
  metrics.observe('edge', 200, 10)
  now += 1000
  expect([totalOf(1), totalOf(minuteMs), totalOf(2 * minuteMs), totalOf(9e9)]).toEqual([1, 2, 4, 4])
})

test('its summary is in milliseconds, as decisions.md §6 names it', () => {
  minute(
    ...Array.from({ length: 98 }, () => ['app', 200, 1000] as ['app', number, number]),
    ['app', 404, 1000],
    ['app', 503, 101_000],
    ['edge', 500, 1],
  )
  const summary = metrics.window('app', minuteMs).summary()
  expect(summary).toMatchObject({
    totalRequests: 100,
    avgDuration: 2,
    errorRate: 0.01,
    requestsPerMinute: 100,
  })
  const { p50Duration, p95Duration, p99Duration } = summary
  for (const ms of [p50Duration, p95Duration, p99Duration]) expect(ms).toBeWithin(0.94, 1.06)
})

test('without requests everything is 0, and JSON has no NaN', () => {
  const { summary } = { summary: metrics.window('app', 1).summary() }
  expect(Object.values(summary)).toEqual([0, 0, 0, 0, 0, 0, 0])
})

test('minutes of more than a day ago are forgotten', () => {
  minute(['edge', 200, 10])
  for (let n = 0; n < 24 * 60 - 1; n++) minute()
  expect(totalOf(9e9)).toBe(1)
  minute()
  expect(totalOf(9e9)).toBe(0)
  expect([...metrics.histograms()].map(([, , { count }]) => count)).toEqual([1])
})

test('by minute, for charts', () => {
  minute(['edge', 200, 10], ['edge', 500, 10])
  minute()
  const minutes = metrics.minutes('edge', 0)
  expect(minutes.map(({ errors, from, to }) => [from, to, errors])).toEqual([
    [1_000_000, 1_060_000, 1],
    [1_060_000, 1_120_000, 0],
    [1_120_000, 1_120_000, 0],
  ])
  expect(RequestWindow.of(minutes.slice(0, 1)).summary().totalRequests).toBe(2)
})

test('by role and status class since the start', () => {
  minute(['app', 200, 10], ['app', 204, 10], ['edge', 404, 10])
  const seen = [...metrics.histograms()].map(([role, status, { count }]) => [role, status, count])
  expect(seen).toEqual([
    ['app', 2, 2],
    ['edge', 4, 1],
  ])
})

test('windows of two processes are merged, through JSON', () => {
  minute(['app', 200, 1000], ['app', 500, 3000])
  minute(['edge', 200, 2000])
  const whole = metrics.window('app', 9e9)
  const received = JSON.parse(JSON.stringify(metrics.window('edge', 9e9)))
  whole.merge(RequestWindow.from(received))
  const { avgDuration, errorRate, requestsPerMinute, totalRequests } = whole.summary()
  expect([totalRequests, avgDuration, requestsPerMinute]).toEqual([3, 2, 1.5])
  expect(errorRate).toBeCloseTo(1 / 3)
})
