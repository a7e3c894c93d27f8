import type { Answer } from '#edge/dispatch.ts'
import { type Probe, readiness } from '#main/process/readiness.ts'
import type { Log } from '#observe/log.ts'

interface HealthOptions {
  readonly probes: readonly Probe[]
  readonly log: Pick<Log, 'warn'>
  readonly stopping: AbortSignal
}

/** Answers `/healthz` and `/readyz` as the application does. */
export function answerHealth({ log, probes, stopping }: HealthOptions): Answer {
  const unready = readiness(probes)
  return async ({ url }) => {
    if (new URL(url).pathname === '/healthz') return new Response('ok')
    const parts = stopping.aborted
      ? [{ problem: 'The service is stopping.', error: null }]
      : await unready()
    if (parts.length === 0) return new Response('ok')
    for (const { error, problem } of parts) {
      if (error !== null) log.warn('not ready', { problem, error })
    }
    const lines = ['not ready', ...parts.map(({ problem }) => problem)]
    return new Response(lines.join('\n'), { status: 503, headers: { 'retry-after': '5' } })
  }
}
