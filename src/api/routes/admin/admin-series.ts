import type { adminListRoutes } from '#api/contract/admin/admin-lists.ts'
import type { PayloadAt } from '#api/contract/route.ts'
import type { HostingMetrics, Operations } from '#api/operations.ts'
import { type GaugePoint, type RequestPoint, requestPoint } from '#observe/series.ts'

type Series = PayloadAt<(typeof adminListRoutes)['readSeries'], 200>
type Values = readonly (number | null)[]

const minuteMs = 60_000

interface Asked {
  readonly metric: 'requests' | 'latency' | 'errors' | 'ingest-lag' | 'disk'
  readonly timeWindow: number
}

/** One chart; nothing of the hosting part while that cannot be reached. */
export async function readSeries(
  { metric, timeWindow }: Asked,
  operations: Operations,
  now: number,
): Promise<Series> {
  const hosting = await operations.hosting.metrics(timeWindow)
  switch (metric) {
    case 'disk':
      return ofGauge('free', operations.diskPoints(timeWindow))
    case 'ingest-lag':
      return ofGauge('lag', hosting?.ingestLag ?? [])
    default: {
      const app = operations.requests.minutes('app', now - timeWindow).map(requestPoint)
      return ofRequests(metric, app, hosting)
    }
  }
}

const ofGauge = (name: string, points: readonly GaugePoint[]): Series => ({
  times: points.map(({ at }) => at),
  series: [{ name, values: points.map(({ value }) => value) }],
})

function ofRequests(
  metric: 'requests' | 'latency' | 'errors',
  app: readonly RequestPoint[],
  hosting: HostingMetrics | null,
): Series {
  const times = app.map(({ at }) => at)
  const edge = alignedTo(times, hosting?.minutes ?? [])
  const named = (
    name: string,
    points: readonly (RequestPoint | null)[],
    of: keyof RequestPoint,
  ) => ({
    name,
    values: points.map((point): number | null => point?.[of] ?? null) satisfies Values,
  })
  const both = (of: keyof RequestPoint, suffix = '') => [
    named(`app${suffix}`, app, of),
    named(`sites${suffix}`, edge, of),
  ]
  if (metric !== 'latency') return { times, series: both(metric) }
  return {
    times,
    series: [...both('p50', ' p50'), ...both('p95', ' p95'), ...both('p99', ' p99')],
  }
}

/** Two processes end their minutes at different moments: for each time, the nearest point of that minute. */
function alignedTo(
  times: readonly number[],
  points: readonly RequestPoint[],
): (RequestPoint | null)[] {
  const distance = (point: RequestPoint | undefined, at: number): number =>
    point === undefined ? Number.POSITIVE_INFINITY : Math.abs(point.at - at)
  let next = 0
  return times.map((at) => {
    while (distance(points[next + 1], at) < distance(points[next], at)) next++
    return distance(points[next], at) <= minuteMs / 2 ? (points[next] ?? null) : null
  })
}
