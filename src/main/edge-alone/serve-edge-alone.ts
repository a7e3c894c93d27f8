import type { Config } from '#main/config/config.ts'
import { unknownSettingSentence, unknownSettings } from '#main/config/unknown-settings.ts'
import { type ChangeFetch, drain, unchanged } from '#main/process/drain.ts'
import { aborted, endOfBackground } from '#main/process/end-of-background.ts'
import { listen } from '#main/process/listen.ts'
import { startProcessLog } from '#main/process/process-log.ts'
import { printReady } from '#main/process/ready-line.ts'
import { setSchedulerSlice } from '#main/process/scheduler-slice.ts'
import { countDown } from '#main/process/shutdown.ts'
import { RequestMetrics } from '#observe/request-metrics.ts'
import { openEdgeAlone } from './open-edge-alone.ts'

/** Answers visitors of sites, and nothing else, until the signal ends it (`ROLES=edge`). */
export async function serveEdgeAlone(config: Config, signal: AbortSignal): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const { baseDomain, host, origin: app, port } = config
  const log = opened.use(await startProcessLog(config, { service: 'hosting-service' }))
  for (const unknown of unknownSettings()) log.warn(unknownSettingSentence(unknown))
  if (!setSchedulerSlice('short')) log.debug('scheduler slice not set')
  const stop = new AbortController()
  const stopping = AbortSignal.any([signal, stop.signal])
  const { over } = opened.use(countDown(stopping, config.shutdownSecondsMax))
  const requests = new RequestMetrics({ now: Date.now })
  const edge = await openEdgeAlone({ config, log, over, requests, signal: stopping }, opened)
  if (edge === null) return
  const backgroundEnd = endOfBackground(edge.background, stopping)
  backgroundEnd.catch(() => undefined)
  opened.defer(async () => {
    stop.abort()
    await Promise.allSettled([backgroundEnd])
  })
  const { fetch } = edge
  const listenAgain = (change: ChangeFetch) =>
    listen({ host, port, setting: '--port', fetch: change(fetch) })
  const server = listenAgain(unchanged)
  opened.defer(() => server.stop(true))
  log.info('listening', { app, port })
  printReady({ app, baseDomain, port })
  await Promise.race([backgroundEnd, aborted(stopping)])
  await Promise.all([drain(server, { listenAgain, log, over }), backgroundEnd])
}
