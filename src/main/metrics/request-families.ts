import type { CacheStats } from '#api/operations.ts'
import type { TierStats } from '#concurrency/memory-tier.ts'
import type { Http3End } from '#edge/http3/answer-http3.ts'
import { type RefusedBy, refusedBy } from '#edge/shares/site-share.ts'
import type { HandshakeEnd } from '#edge/tls/tls-listener.ts'
import type { Family, HistogramFamily } from '#observe/metrics.ts'
import type { RequestMetrics } from '#observe/request-metrics.ts'
import type { Counts, Tally } from '#observe/tally.ts'
import { browserEngines, type PageErrorLabel, pageErrorNames } from '#site/page-errors.ts'

/** Requests by role and status class; their number is the histogram's `_count`. */
export const requestFamily = (requests: RequestMetrics): HistogramFamily => ({
  name: 'sitehost_http_request_duration_seconds',
  help: 'Time until an answer was ready to be sent, by role (app, edge) and status class.',
  *read() {
    for (const [role, status, histogram] of requests.histograms()) {
      yield [{ role, status: `${status}xx` }, histogram]
    }
  },
})

export const handshakeFamily = ({ counts }: Pick<Tally<HandshakeEnd>, 'counts'>): Family => ({
  name: 'sitehost_tls_handshakes_total',
  help: 'Connections over TLS by how their handshake ended; refused: too many connections or handshakes.',
  kind: 'counter',
  read: () => Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
})

export const http3Family = ({ counts }: Pick<Tally<Http3End>, 'counts'>): Family => ({
  name: 'sitehost_http3_requests_total',
  help: 'Requests over HTTP/3 by how they ended; misdirected: for a host that it is not for; refused: too many in progress.',
  kind: 'counter',
  read: () => Object.entries(counts).map(([outcome, value]) => ({ labels: { outcome }, value })),
})

/** Of all processes; each limit is there from the start, with 0. */
export const refusalFamily = (countsOf: () => readonly Counts<RefusedBy>[]): Family => ({
  name: 'sitehost_visits_refused_total',
  help: 'Requests for sites that were answered with 429, by limit (docs/operating.md, "A site’s share").',
  kind: 'counter',
  read: () =>
    refusedBy.map((limit) => ({
      labels: { limit },
      value: countsOf().reduce((sum, counts) => sum + (counts[limit] ?? 0), 0),
    })),
})

/** Each name and engine is there from the start, with 0. */
export const pageErrorFamily = ({ counts }: Pick<Tally<PageErrorLabel>, 'counts'>): Family => ({
  name: 'sitehost_page_errors_total',
  help: 'Errors that nobody foresaw in pages of the application, by name and engine of the browser.',
  kind: 'counter',
  read: () =>
    pageErrorNames.flatMap((name) =>
      browserEngines.map((engine) => ({
        labels: { name, engine },
        value: counts[`${name} ${engine}`] ?? 0,
      })),
    ),
})

/** What the edge keeps in memory. */
export function tierFamilies(cache: () => CacheStats): Family[] {
  const family = (
    name: string,
    help: string,
    kind: Family['kind'],
    numberIn: (stats: TierStats) => number,
  ): Family => ({
    name: `sitehost_cache_${name}`,
    help,
    kind,
    read: () =>
      Object.entries(cache()).map(([tier, stats]) => ({
        labels: { tier },
        value: numberIn(stats),
      })),
  })
  return [
    family('hits_total', 'Uses of what was in memory.', 'counter', ({ hits }) => hits),
    family('misses_total', 'Uses of what was not in memory.', 'counter', ({ misses }) => misses),
    family(
      'evictions_total',
      'Entries removed because memory was needed.',
      'counter',
      ({ evictions }) => evictions,
    ),
    family('bytes', 'Memory in use.', 'gauge', ({ bytes }) => bytes),
    family('limit_bytes', 'Memory that may be used.', 'gauge', ({ bytesMax }) => bytesMax),
    family('entries', 'Entries in memory.', 'gauge', ({ entries }) => entries),
  ]
}
