import {
  Gauge,
  type MetricType,
  type MetricValue,
  type MetricValueWithName,
  Registry,
} from 'prom-client'
import type { LatencyHistogram } from './latency-histogram.ts'
import type { Log } from './log.ts'
import { rateLimitedLog } from './rate-limited-log.ts'

/** One series of a family. The values of its labels come from a list in the code, never from outside. */
export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/** Metrics of one name, read whenever they are scraped; a family that cannot be read is left out of that scrape. */
export interface Family {
  /** By the conventions of Prometheus: base units, `_total` for what only grows. */
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge'
  readonly read: () => Iterable<Sample> | Promise<Iterable<Sample>>
}

/** Durations with their labels. */
export interface HistogramFamily {
  readonly name: string
  readonly help: string
  readonly read: () => Iterable<readonly [labels: Record<string, string>, LatencyHistogram]>
}

/** Powers of two, below which a histogram counts exactly: 128 µs to 17 s. */
const boundsMicros = Array.from({ length: 18 }, (_, n) => 2 ** (n + 7))

/** What Prometheus scrapes. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #log: Log

  constructor({ log }: { readonly log: Log }) {
    this.#log = rateLimitedLog(log)
  }

  /** All families, in the text format of Prometheus (`metricsMediaType`). */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  add(...families: readonly Family[]): void {
    for (const family of families) {
      const read = () => this.#samplesOf(family)
      this.#registry.registerMetric(new ReadMetric({ ...family, read }))
    }
  }

  addHistogram(family: HistogramFamily): void {
    const read = async () =>
      [...family.read()].flatMap(([labels, histogram]) => valuesOf(family.name, labels, histogram))
    this.#registry.registerMetric(new ReadMetric({ ...family, kind: 'histogram', read }))
  }

  async #samplesOf({ name, read }: Family): Promise<Value[]> {
    try {
      const samples = [...(await read())].filter(({ value }) => Number.isFinite(value))
      return samples.map(({ labels = {}, value }) => ({ labels, value }))
    } catch (error) {
      this.#log.warn('metric not read', { metric: name, error })
      return []
    }
  }
}

export const metricsMediaType = Registry.PROMETHEUS_CONTENT_TYPE

type Value = MetricValueWithName<string> | MetricValue<string>

interface ReadOptions {
  readonly name: string
  readonly help: string
  readonly kind: `${MetricType}`
  readonly read: () => Promise<Value[]>
}

/** A metric of prom-client of any type whose values are kept elsewhere. */
class ReadMetric extends Gauge {
  readonly #options: ReadOptions

  constructor(options: ReadOptions) {
    super({ name: options.name, help: options.help, registers: [] })
    this.#options = options
  }

  override async get() {
    const { kind, read } = this.#options
    // The enumeration has numbers for types; the text has its values from here.
    const type = kind as unknown as MetricType
    return { ...(await super.get()), type, values: await read() }
  }
}

function valuesOf(
  name: string,
  labels: Record<string, string>,
  histogram: LatencyHistogram,
): MetricValueWithName<string>[] {
  const { count, sumMicros } = histogram
  const buckets = boundsMicros.map((bound) => ({
    labels: { ...labels, le: bound / 1e6 },
    value: histogram.countBelow(bound),
    metricName: `${name}_bucket`,
  }))
  return [
    ...buckets,
    { labels: { ...labels, le: '+Inf' }, value: count, metricName: `${name}_bucket` },
    { labels, value: sumMicros / 1e6, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ]
}
