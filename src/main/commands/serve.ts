import type { CommandOptions } from '#cli/program.ts'
import { type Config, readConfig } from '#main/config/config.ts'
import { cookieWarning } from '#main/config/cookie-warning.ts'
import { unknownSettingSentence, unknownSettings } from '#main/config/unknown-settings.ts'
import { serveEdgeAlone } from '#main/edge-alone/serve-edge-alone.ts'
import { openInstance } from '#main/instance.ts'
import { answerScrape } from '#main/metrics/answer-scrape.ts'
import { servicePartsOf } from '#main/process/data-lock.ts'
import { type ChangeFetch, drain, type Fetch, unchanged } from '#main/process/drain.ts'
import { aborted, endOfBackground } from '#main/process/end-of-background.ts'
import { freePort } from '#main/process/free-port.ts'
import { listen } from '#main/process/listen.ts'
import { startProcessLog } from '#main/process/process-log.ts'
import { printReady } from '#main/process/ready-line.ts'
import { setSchedulerSlice } from '#main/process/scheduler-slice.ts'
import { serveTls } from '#main/process/serve-tls.ts'
import { announceAddress } from '#main/process/service-address.ts'
import { countDown } from '#main/process/shutdown.ts'
import { elapsed } from '#main/service/open-parts.ts'
import { openService, type Service } from '#main/service/service.ts'
import { unsetTlsError } from '#main/service/settle-tls.ts'
import { openCore } from '#main/supervisor/serve-core.ts'
import { serveEdge } from '#main/supervisor/serve-edge.ts'
import { supervise } from '#main/supervisor/supervise.ts'
import { openSupervisorLink, type SupervisorLink } from '#main/supervisor/supervisor-link.ts'
import { parseSupervised, type Supervised } from '#main/supervisor/supervisor-messages.ts'
import { openWebAssets, reloadWebAssets } from '#main/web-app/web-assets.ts'
import type { Log } from '#observe/log.ts'
import { LogQueue } from '#observe/log-queue.ts'
import { Tally } from '#observe/tally.ts'

/** A service that answers at its addresses. */
export interface RunningService {
  /** For programs that start us: the rest of the `ready` line. */
  readonly ready: { readonly app: string; readonly baseDomain: string; readonly port: number }
  /** Resolves when it has stopped; rejects when it fails. */
  readonly stopped: Promise<void>
}

/** All its browsers are on this machine: BASE_URL is https or a loopback address (`problemOfAddresses`). */
const isLocal = ({ origin }: Pick<Config, 'origin'>): boolean => !origin.startsWith('https:')

type Environment = Readonly<Record<string, string>>

/** The service on the real network, until the signal stops it. */
export async function runServe(options: CommandOptions, signal: AbortSignal): Promise<void> {
  const supervised = parseSupervised(options.supervised)
  if (supervised !== null) return await runSupervised(options, supervised, signal)
  const config = await configOf(settingsOf(options))
  if (config.roles.isEdgeAlone) return await serveEdgeAlone(config, signal)
  if (config.edgeProcesses !== null) return await runInstance(config, options, signal)
  const service = await startServing(options, {}, signal)
  printReady(service.ready)
  await service.stopped
}

/** The same in several processes, of which this one is the supervisor. SIGHUP replaces the others. */
async function runInstance(
  config: Config,
  options: CommandOptions,
  signal: AbortSignal,
): Promise<void> {
  const settings = { ...settingsOf(options), PORT: String(config.port) }
  // They share the port with each other, and would with any other instance.
  await assertCanListen(options, settings)
  await using log = await startProcessLog(config, { service: 'hosting-service' })
  const instance = await supervise({
    ...{ config, log, settings, signal },
    edges: config.edgeProcesses ?? 1,
  })
  const replace = (): void => void instance.replaceAll()
  process.on('SIGHUP', replace)
  printReady(instance.ready)
  await instance.stopped
  process.off('SIGHUP', replace)
}

/** A process of an instance of several. */
async function runSupervised(
  options: CommandOptions,
  supervised: Supervised,
  stop: AbortSignal,
): Promise<void> {
  const link = openSupervisorLink()
  const signal = AbortSignal.any([stop, link.isGone])
  // A supervisor that is stopped by force stops everything so.
  link.isGone.addEventListener('abort', () => stop.aborted && process.exit(1))
  // Its own signal: the supervisor's.
  process.on('SIGHUP', () => undefined)
  if (supervised.kind === 'edge') {
    return await serveEdge(readConfig(settingsOf(options)), supervised, link, signal)
  }
  const service = await startServing(options, {}, signal, { ...supervised, link })
  link.send({ kind: 'ready', ready: service.ready })
  await service.stopped
}

/** Throws ConfigError if a service with these options could not listen, or a setting is invalid. */
export async function assertCanListen(
  options: CommandOptions,
  environment: Environment,
): Promise<void> {
  const { host, port } = readConfig({ ...environment, ...settingsOf(options) })
  if (port === 0) return
  const fetch = () => new Response(null, { status: 503 })
  await listen({ host, port, setting: '--port', fetch }).stop(true)
}

/** Starts the service; aborting the signal stops it. `environment` overrides the process's own. */
export async function startServing(
  options: CommandOptions,
  environment: Environment,
  signal: AbortSignal,
  asCore: (Pick<Supervised, 'folder'> & { readonly link: SupervisorLink }) | null = null,
): Promise<RunningService> {
  await using opened = new AsyncDisposableStack()
  const config = await configOf({ ...environment, ...settingsOf(options) })
  const events = new Tally<string>()
  const onEvent = (event: string): void => events.add(event)
  const logQueue = new LogQueue()
  const log = opened.use(
    await startProcessLog(config, {
      service: config.roles.app ? 'main-app' : 'hosting-service',
      onEntry: logQueue.add,
      onEvent,
    }),
  )
  const warning = cookieWarning(config)
  if (warning !== null) log.warn(warning)
  for (const unknown of unknownSettings()) log.warn(unknownSettingSentence(unknown))
  if (!setSchedulerSlice('short')) log.debug('scheduler slice not set')
  const openedInstance = await openInstance(config)
  const hasStyleguide = config.webReload
  const webAssets = config.roles.app
    ? await openWebAssets(openedInstance, { hasStyleguide, isCodedLater: isLocal(config) })
    : new Map()
  const stop = new AbortController()
  const stopping = AbortSignal.any([signal, stop.signal])
  const shutdown = opened.use(countDown(stopping, config.shutdownSecondsMax))
  const service = opened.use(
    await openService({
      ...{ config, events, log, logQueue, webAssets, shutdown, signal: stopping },
      instance: openedInstance.instance,
      isCore: asCore !== null,
    }),
  )
  const backgroundEnd = endOfBackground(service.background, stopping)
  // `stopped` reports the error, or `following` when the start fails.
  backgroundEnd.catch(() => undefined)
  opened.defer(async () => {
    stop.abort()
    await Promise.allSettled([backgroundEnd])
  })
  const { host, port, origin: app, baseDomain } = config
  const { core, fetch } = service
  const over = shutdown.over
  const answering =
    asCore === null
      ? listenForAll({ fetch, host, log, over, port }, opened)
      : await openCore({ ...asCore, core, fetch, over, retire: () => stop.abort() }, opened)
  const { askListen, tls: tlsSettings } = service.config
  if (askListen !== null) {
    const asked = listen({ ...askListen, setting: 'ASK_LISTEN', fetch: (ask) => service.ask(ask) })
    opened.defer(() => asked.stop(true))
  }
  const hosts = { applicationHost: new URL(app).hostname, baseDomain }
  const tls =
    tlsSettings &&
    opened.use(
      await serveTls({
        ...{
          tls: tlsSettings,
          trustedProxies: config.trustedProxies,
          answer: fetch,
          log,
          elapsed,
        },
        applicationHost: hosts.applicationHost,
        files: service.certificateFiles,
        serialized: service.serialized,
        ordered: service.certificates,
        onHandshake: service.onHandshake,
        ...(tlsSettings.http3 && { http3: { hosts, onRequest: service.onHttp3Request } }),
        signal: stopping,
      }).catch((error: unknown) => {
        throw unsetTlsError(error, config)
      }),
    )
  let internal: { drain(): Promise<void> } | null = null
  if (config.internal !== null) {
    const { listen: at, token } = config.internal
    const answerOther: Fetch = (request, server) => service.internal(request, server, token)
    const listenAgain = (change: ChangeFetch) =>
      listen({ ...at, setting: 'INTERNAL_LISTEN', fetch: change(answerOther) })
    const server = listenAgain(unchanged)
    opened.defer(() => server.stop(true))
    internal = { drain: () => drain(server, { listenAgain, log, over }) }
  }
  if (config.metricsListen !== null) {
    const scraped = (request: Request) => answerScrape(request, service.metrics)
    const metrics = listen({ ...config.metricsListen, setting: 'METRICS_LISTEN', fetch: scraped })
    opened.defer(() => metrics.stop(true))
  }
  if (config.webReload)
    opened.adopt(await reloadWebAssets(webAssets, openedInstance), (watcher) => watcher.close())
  const drained = aborted(asCore === null ? signal : stopping).then(async () => {
    await Promise.all([answering.drained(), tls?.drain(over)])
    // Last: others relay what those that have come here wait for.
    await internal?.drain()
  })
  await service.following
  const parts = servicePartsOf(config.roles)
  const announcement = { origin: app, host, port, askListen, parts }
  opened.use(await announceAddress(config.dataDir, announcement))
  log.info('listening', { app, port, ...publicPorts(config) })

  const open = opened.move()
  return {
    ready: { app, baseDomain, port },
    stopped: Promise.all([backgroundEnd, drained, tls?.background])
      .then(() => undefined)
      .finally(() => open.disposeAsync()),
  }
}

/** Where visitors connect, if TLS ends here. */
const publicPorts = ({ tls }: Config) =>
  tls === null ? {} : { https: tls.listen.port, http: tls.httpListen?.port ?? 'off' }

interface ListenForAll {
  readonly fetch: Service['fetch']
  readonly host: string
  readonly port: number
  readonly log: Log
  readonly over: AbortSignal
}

/** Something that answers requests. */
export interface Answering {
  /** Resolves when its last request has ended. To be called when the service stops. */
  drained(): Promise<void>
}

/** Answers all requests, at the address of the settings. */
function listenForAll(
  { fetch, host, log, over, port }: ListenForAll,
  opened: AsyncDisposableStack,
): Answering {
  const listenAgain = (change: ChangeFetch) =>
    listen({ host, port, setting: '--port', fetch: change(fetch) })
  const server = listenAgain(unchanged)
  opened.defer(() => server.stop(true))
  return { drained: () => drain(server, { listenAgain, log, over }) }
}

/** Chooses the port before anything listens: the application's address contains it. */
async function configOf(overrides: Environment): Promise<Config> {
  const config = readConfig(overrides)
  return config.port === 0 ? readConfig({ ...overrides, PORT: await freePort() }) : config
}

function settingsOf({ port, data, baseUrl, baseDomain }: CommandOptions): Environment {
  const given = { PORT: port, DATA_DIR: data, BASE_URL: baseUrl, BASE_DOMAIN: baseDomain }
  return Object.fromEntries(
    Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}
