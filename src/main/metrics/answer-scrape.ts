import { type Metrics, metricsMediaType } from '#observe/metrics.ts'

/** Answers Prometheus at METRICS_LISTEN: `GET /metrics`, and nothing else. */
export async function answerScrape(request: Request, metrics: Metrics): Promise<Response> {
  const isScrape = new URL(request.url).pathname === '/metrics' && request.method === 'GET'
  if (!isScrape) return new Response('GET /metrics\n', { status: 404 })
  return new Response(await metrics.text(), { headers: { 'content-type': metricsMediaType } })
}
