import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout } from 'node:timers/promises'
import { type Context, ROOT_CONTEXT, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base'
import { errorText } from './error-text.ts'
import type { Log } from './log.ts'
import { rateLimitedLog } from './rate-limited-log.ts'
import type { Spans } from './spans.ts'
import { currentTrace, type Trace } from './trace.ts'

interface OpenTelemetryOptions {
  /** As in OTEL_EXPORTER_OTLP_ENDPOINT: the collector's address, without `/v1/traces`. */
  readonly endpoint: string
  /** The part of the service whose work it is. */
  readonly part: string
  readonly version: string
  readonly log: Log
  readonly exportMsMax?: number
}

/** Further spans are dropped while the collector takes none. */
const spansWaitingMax = 2_048
const exportMsMaxDefault = 5_000
const sendEveryMs = 2_000
/** The stop of the service waits so long for the last ones. */
const stopMsMax = 1_000

/**
 * Spans for a collector (OTLP, JSON over HTTP), sent in the background. A collector that is away, slow or refuses costs spans
 * and a line in the log a minute. The trace is that of the log lines; disposal sends what waits, for a second at most.
 */
export function openTelemetry({
  endpoint,
  exportMsMax = exportMsMaxDefault,
  log,
  part,
  version,
}: OpenTelemetryOptions): Spans & AsyncDisposable {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const exporter = new OTLPTraceExporter({ url, timeoutMillis: exportMsMax })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'sitehost',
      'service.version': version,
      'sitehost.part': part,
    }),
    idGenerator: idsOfTrace(new RandomIdGenerator()),
    spanProcessors: [
      new BatchSpanProcessor(logged(exporter, rateLimitedLog(log)), {
        maxQueueSize: spansWaitingMax,
        exportTimeoutMillis: exportMsMax,
        scheduledDelayMillis: sendEveryMs,
      }),
    ],
  })
  const tracer = provider.getTracer('sitehost', version)
  const current = new AsyncLocalStorage<Context>()
  return {
    async run(name, attributes, work) {
      const parent = current.getStore() ?? contextOf(currentTrace())
      const span = tracer.startSpan(name, { attributes }, parent)
      try {
        return await current.run(trace.setSpan(parent, span), () =>
          work({
            rename: (to) => void span.updateName(to),
            set: (attribute, value) => void span.setAttribute(attribute, value),
          }),
        )
      } catch (error) {
        const message = error instanceof Error ? errorText(error) : 'failed'
        span.setStatus({ code: SpanStatusCode.ERROR, message })
        throw error
      } finally {
        span.end()
      }
    },
    async [Symbol.asyncDispose]() {
      const ended = provider.shutdown().catch(() => undefined)
      await Promise.race([ended, setTimeout(stopMsMax, undefined, { ref: false })])
    },
  }
}

/** A span without a parent is of the trace that is in the log lines. */
const idsOfTrace = (random: RandomIdGenerator) => ({
  generateTraceId: () => currentTrace()?.id ?? random.generateTraceId(),
  generateSpanId: () => random.generateSpanId(),
})

/** A front's span is the parent, and decides whether the trace is kept. */
function contextOf(of: Trace | null): Context {
  if (of === null || of.parentSpan === null) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId: of.id,
    spanId: of.parentSpan,
    traceFlags: of.isSampled === false ? TraceFlags.NONE : TraceFlags.SAMPLED,
    isRemote: true,
  })
}

const logged = (exporter: SpanExporter, log: Log): SpanExporter => ({
  export: (spans, done) =>
    exporter.export(spans, (result) => {
      if (result.error !== undefined) {
        log.warn('traces not exported', { spans: spans.length, error: result.error })
      }
      done(result)
    }),
  shutdown: () => exporter.shutdown(),
  forceFlush: async () => await exporter.forceFlush?.(),
})
