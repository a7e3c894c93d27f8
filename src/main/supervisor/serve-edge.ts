import { setTimeout } from 'node:timers/promises'
import type { Answer } from '#edge/dispatch.ts'
import type { Config } from '#main/config/config.ts'
import { type ChangeFetch, closing, drain, unchanged } from '#main/process/drain.ts'
import { aborted, endOfBackground } from '#main/process/end-of-background.ts'
import { listen } from '#main/process/listen.ts'
import { startProcessLog } from '#main/process/process-log.ts'
import { setSchedulerSlice } from '#main/process/scheduler-slice.ts'
import { countDown } from '#main/process/shutdown.ts'
import { EventLoopMonitor } from '#observe/event-loop-delay.ts'
import { LogQueue } from '#observe/log-queue.ts'
import { RequestMetrics } from '#observe/request-metrics.ts'
import { Tally } from '#observe/tally.ts'
import { openEdgeProcess } from './edge-process.ts'
import { EdgeReporter } from './edge-report.ts'
import { steerConnections } from './steer-connections.ts'
import type { SupervisorLink } from './supervisor-link.ts'
import type { Supervised } from './supervisor-messages.ts'

const reportEveryMs = 1_000
/** For so long, a process that is replaced asks its visitors to come by another connection; idle ones are closed then. */
const farewellMs = 2_000

/** Answers visitors at the instance's port, next to other such processes, until the signal or its supervisor ends it. */
export async function serveEdge(
  config: Config,
  supervised: Supervised,
  link: SupervisorLink,
  signal: AbortSignal,
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const events = new Tally<string>()
  const logQueue = new LogQueue()
  const log = opened.use(
    await startProcessLog(config, {
      service: 'hosting-service',
      onEntry: logQueue.add,
      onEvent: (event) => events.add(event),
    }),
  )
  if (!setSchedulerSlice('short')) log.debug('scheduler slice not set')
  const retired = new AbortController()
  const stopping = AbortSignal.any([signal, retired.signal])
  const shutdown = opened.use(countDown(stopping, config.shutdownSecondsMax))
  const requests = new RequestMetrics({ now: Date.now })
  const edge = opened.use(
    await openEdgeProcess({
      ...{ config, link, log, logQueue, requests, shutdown, supervised },
      signal: stopping,
    }),
  )
  let isLeaving = false
  const fetch: Answer = (request, connections) => {
    const answer = edge.fetch(request, connections)
    if (!isLeaving) return answer
    return answer instanceof Promise ? answer.then(closing) : closing(answer)
  }
  const { host, port } = config
  const listenAgain = (change: ChangeFetch) =>
    listen({ host, port, setting: '--port', isShared: true, fetch: change(fetch) })
  const server = listenAgain(unchanged)
  opened.defer(() => server.stop(true))

  const leave = async (): Promise<void> => {
    isLeaving = true
    await setTimeout(farewellMs, undefined, { signal }).catch(() => undefined)
    retired.abort()
  }
  link.onMessage((message) => {
    if (message.kind === 'steer') {
      link.send({ kind: 'steered', isSteered: steerConnections(port, message.place) })
    } else if (message.kind === 'retire') void leave()
    else if (message.kind === 'wake-up') edge.wakeUps.notify(message.topic)
  })
  const reporter = new EdgeReporter({
    ...{ events, requests, cache: edge.cache, refusals: edge.refusals },
    eventLoop: opened.use(new EventLoopMonitor()),
  })
  const report = (): void => link.send({ kind: 'report', report: reporter.report() })
  const reports = setInterval(report, reportEveryMs)
  opened.defer(() => clearInterval(reports))
  link.send({ kind: 'ready', ready: {} })

  const backgroundEnd = endOfBackground(edge.background, stopping)
  await Promise.race([backgroundEnd, aborted(stopping)])
  const drained = drain(server, {
    ...{ log, over: shutdown.over },
    listenAgain: retired.signal.aborted ? null : listenAgain,
  })
  link.send({ kind: 'unlistened' })
  await Promise.all([drained, backgroundEnd])
  report()
}
