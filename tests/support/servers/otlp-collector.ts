/** One span as a collector receives it, its attributes as plain values. */
export interface CollectedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status?: { readonly code?: number; readonly message?: string }
  readonly attributes: Readonly<Record<string, unknown>>
}

/** An OpenTelemetry collector: takes traces as JSON (OTLP/HTTP) at `/v1/traces`. */
export function startCollector() {
  let spans: CollectedSpan[] = []
  let resource: Readonly<Record<string, unknown>> = {}
  let isHanging = false
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
      if (isHanging) return await new Promise<Response>(() => undefined)
      const { resourceSpans } = (await request.json()) as TracesRequest
      for (const of of resourceSpans) {
        resource = plain(of.resource.attributes)
        const received = of.scopeSpans.flatMap((scope) => scope.spans)
        spans.push(...received.map((span) => ({ ...span, attributes: plain(span.attributes) })))
      }
      return Response.json({})
    },
  })
  return {
    endpoint: `http://127.0.0.1:${server.port}`,
    get spans(): readonly CollectedSpan[] {
      return spans
    },
    get resource() {
      return resource
    },
    hang(): void {
      isHanging = true
    },
    reset(): void {
      isHanging = false
      spans = []
    },
    stop: () => server.stop(true),
  }
}

interface TracesRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes'> & {
        readonly attributes: Attributes
      })[]
    }[]
  }[]
}

type Attributes = readonly {
  readonly key: string
  readonly value: { readonly intValue?: number; readonly stringValue?: string }
}[]

const plain = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
