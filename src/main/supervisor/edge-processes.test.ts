import { expect, test } from 'bun:test'
import type { CacheStats } from '#api/operations.ts'
import type { RefusedBy } from '#edge/shares/site-share.ts'
import { RequestMetrics } from '#observe/request-metrics.ts'
import { Tally } from '#observe/tally.ts'
import { EdgeProcesses } from './edge-processes.ts'
import { EdgeReporter } from './edge-report.ts'

const tier = { entries: 0, bytes: 0, bytesMax: 100, hits: 0, misses: 0, evictions: 0 }

/** An edge process with numbers of its own. */
function edge() {
  const requests = new RequestMetrics({ now: () => 0 })
  const events = new Tally<string>()
  const refusals = new Tally<RefusedBy>()
  let bodies = tier
  const cache = (): CacheStats => ({ bodies, hosts: tier, snapshots: tier })
  const eventLoop = { read: () => ({ p50: 1, p99: 2, max: 3 }) }
  return {
    requests,
    events,
    refusals,
    has: (stats: Partial<typeof tier>) => {
      bodies = { ...bodies, ...stats }
    },
    reporter: new EdgeReporter({ requests, events, refusals, cache, eventLoop }),
  }
}

const known = (pid: number) => ({ kind: 'edge', pid, startedAt: 0, restarts: 0 }) as const

test('each number counts once, and those of a process that has ended stay in the sums', () => {
  const requests = new RequestMetrics({ now: () => 0 })
  const edges = new EdgeProcesses(requests)
  const [one, other] = [edge(), edge()]
  edges.know([known(1), known(2)])
  const count = () => requests.window('edge', 60_000).summary().totalRequests

  one.requests.observe('edge', 200, 50)
  one.requests.observe('app', 200, 50)
  one.events.add('started')
  one.refusals.add('site_bytes')
  one.has({ hits: 3, entries: 2, bytes: 7 })
  edges.take(1, one.reporter.report())
  edges.take(1, one.reporter.report())
  other.requests.observe('edge', 503, 50)
  other.has({ hits: 1, entries: 1, bytes: 5 })
  edges.take(2, other.reporter.report())
  expect(count()).toBe(2)
  expect(requests.window('edge', 60_000).summary().errorRate).toBe(0.5)
  expect(requests.window('app', 60_000).summary().totalRequests).toBe(0)
  expect(edges.events).toEqual({ started: 1 })
  expect(edges.refusals).toEqual({ site_bytes: 1 })
  expect(edges.cache.bodies).toMatchObject({ hits: 4, entries: 3, bytes: 12, bytesMax: 200 })
  expect(edges.eventLoop).toEqual({ p50: 1, p99: 2, max: 3 })
  expect(edges.cpuMicros).toBeGreaterThan(0)

  edges.know([known(2)])
  expect(edges.cache.bodies).toMatchObject({ hits: 4, entries: 1, bytes: 5, bytesMax: 100 })
  // Its last report may come late.
  one.requests.observe('edge', 200, 50)
  edges.take(1, one.reporter.report())
  expect(count()).toBe(3)
  expect(edges.cache.bodies.entries).toBe(1)
})

test('a report survives JSON', () => {
  const requests = new RequestMetrics({ now: () => 0 })
  const edges = new EdgeProcesses(requests)
  const one = edge()
  for (const micros of [1, 100, 100_000]) one.requests.observe('edge', 304, micros)
  edges.take(1, JSON.parse(JSON.stringify(one.reporter.report())))
  const [[role, status, latency] = []] = [...requests.histograms()]
  expect([role, status, latency?.count, latency?.sumMicros]).toEqual(['edge', 3, 3, 100_101])
})
