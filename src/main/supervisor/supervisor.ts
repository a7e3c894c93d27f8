import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { backoff } from '#concurrency/backoff.ts'
import { Mutex } from '#concurrency/semaphore.ts'
import type { Config } from '#main/config/config.ts'
import { StartError } from '#main/process/start-failure.ts'
import type { Log } from '#observe/log.ts'
import { endedWithin, type RunningProcess, startProcess } from './start-process.ts'
import type { FromProcess, InstanceProcess } from './supervisor-messages.ts'
import { WaitingReports } from './waiting-reports.ts'

export interface SupervisorOptions {
  readonly config: Pick<Config, 'dataDir' | 'shutdownSecondsMax'>
  readonly edges: number
  /** Of the instance's own sockets. */
  readonly folder: string
  /** Of the processes, in addition to the environment. */
  readonly settings: Readonly<Record<string, string>>
  readonly log: Log
}

/** Before a process that died is started again; after it has run for some time, the pauses begin afresh. */
const pauseMs = backoff({ min: 200, max: 30_000, jitter: 0.5 })
const steadyMs = 60_000
/** In addition to the time that requests have to end. */
const endMsMax = 3_000
const steeredMsMax = 2_000
const unlistenedMsMax = 10_000

/** A process that should always be there. */
interface Place {
  readonly kind: InstanceProcess['kind']
  running: RunningProcess | null
  restarts: number
  /** Since it last ran for some time. */
  failures: number
  /** The exit status of the last process that did not start. */
  failedWith: number | null
}

/** Keeps the processes of an instance running. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #core: Place = {
    kind: 'core',
    running: null,
    restarts: 0,
    failures: 0,
    failedWith: null,
  }
  readonly #edges: readonly Place[]
  readonly #listening = new Set<RunningProcess>()
  /** All that run, those that are ending too. */
  readonly #all = new Set<RunningProcess>()
  /** Processes start and are replaced one at a time. */
  readonly #mutex = new Mutex()
  readonly #reports = new WaitingReports()
  #stopping: Promise<void> | null = null
  #replacing: Promise<void> = Promise.resolve()

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#edges = Array.from({ length: options.edges }, () => ({
      kind: 'edge',
      running: null,
      failedWith: null,
      restarts: 0,
      failures: 0,
    }))
  }

  async start(): Promise<object> {
    // It migrates the database, which the others only read.
    const ready = await this.#fill(this.#core)
    await Promise.all(this.#edges.map((place) => this.#fill(place)))
    return ready
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stopAll()
    return this.#stopping
  }

  replaceAll(): Promise<void> {
    const replace = async (): Promise<void> => {
      // The core first: a new version of the program may change the database.
      for (const place of [this.#core, ...this.#edges]) {
        if (this.#stopping !== null) return
        using _ = await this.#mutex.acquire()
        if (!(await (place === this.#core ? this.#replaceCore() : this.#replaceEdge(place)))) return
      }
      this.#options.log.info('processes replaced', { processes: this.#edges.length + 1 })
    }
    this.#replacing = this.#replacing.then(replace)
    return this.#replacing
  }

  async #stopAll(): Promise<void> {
    for (const process of this.#all) process.kill('SIGTERM')
    await this.#ended([...this.#all])
  }

  /** Throws StartError if it ends before it is ready. */
  async #fill(place: Place): Promise<object> {
    const started = await this.#startIn(place)
    if (started === null) {
      const sentence = `a process of the service (${place.kind}) did not start`
      throw new StartError(sentence, { exitCode: place.failedWith ?? 1 })
    }
    return started.ready
  }

  async #startIn(
    place: Place,
  ): Promise<{ readonly process: RunningProcess; readonly ready: object } | null> {
    const process = this.#start(place)
    const ready = await process.ready
    if (ready === null) {
      place.failedWith = await process.exited
      return null
    }
    if (this.#stopping !== null) {
      process.kill('SIGTERM')
      return null
    }
    place.running = process
    if (place.kind === 'edge') this.#listening.add(process)
    this.#tellProcesses()
    if (place === this.#core) this.#reports.sendTo(process)
    void process.exited.then((exitCode) => this.#onExit(place, process, exitCode))
    return { process, ready }
  }

  #start({ kind }: Place): RunningProcess {
    const { edges, folder, settings } = this.#options
    const process = startProcess({
      supervised: { kind, folder, edges },
      settings,
      onMessage: (message) => this.#onMessage(process, message),
    })
    this.#all.add(process)
    void process.exited.then(() => this.#onEnd(process))
    return process
  }

  #onMessage(from: RunningProcess, message: FromProcess): void {
    switch (message.kind) {
      case 'wake-up': {
        const to = from === this.#core.running ? this.#edges : [this.#core]
        for (const { running } of to) running?.send(message)
        return
      }
      case 'report':
        this.#reports.add({ ...message, pid: from.pid })
        this.#reports.sendTo(this.#core.running)
        return
      case 'unlistened':
        this.#listening.delete(from)
        return
      case 'ready':
      case 'steered':
        return
    }
  }

  #tellProcesses(): void {
    const places = [this.#core, ...this.#edges]
    const processes = places.flatMap(({ kind, restarts, running }) =>
      running === null ? [] : { kind, restarts, pid: running.pid, startedAt: running.startedAt },
    )
    this.#core.running?.send({ kind: 'processes', processes })
  }

  #onEnd(process: RunningProcess): void {
    this.#all.delete(process)
    this.#listening.delete(process)
    for (const name of [`edge-${process.pid}`, `copies-${process.pid}`]) {
      const folder = join(this.#options.config.dataDir, 'decoded', name)
      void rm(folder, { recursive: true, force: true }).catch((error) =>
        this.#options.log.warn('files of an ended process not removed', { error }),
      )
    }
  }

  #onExit(place: Place, process: RunningProcess, exitCode: number): void {
    // Another one has its place.
    if (place.running !== process) return
    place.running = null
    this.#tellProcesses()
    if (this.#stopping !== null) return
    const { kind } = place
    this.#options.log.error('process ended', { process: kind, pid: process.pid, exitCode })
    if (Date.now() - process.startedAt > steadyMs) place.failures = 0
    void this.#restart(place)
  }

  /** Until it runs. */
  async #restart(place: Place): Promise<void> {
    while (this.#stopping === null && place.running === null) {
      await setTimeout(pauseMs(place.failures++))
      using _ = await this.#mutex.acquire()
      if (this.#stopping !== null || place.running !== null) return
      place.restarts++
      const started = await this.#startIn(place)
      const facts = { process: place.kind, restarts: place.restarts }
      if (started !== null) this.#options.log.info('process restarted', facts)
    }
  }

  /** There is one at a time: the next begins when the last has ended, and meanwhile requests wait for it. */
  async #replaceCore(): Promise<boolean> {
    const old = this.#core.running
    // It has just died, and is being started again.
    if (old === null) return true
    this.#core.running = null
    old.send({ kind: 'retire' })
    await this.#ended([old])
    if (this.#stopping !== null) return false
    if ((await this.#startIn(this.#core)) !== null) return true
    if (this.#stopping === null) this.#notReplaced(this.#core)
    void this.#restart(this.#core)
    return false
  }

  /** The next one gets all new connections before the old one stops listening, so that none is in the old one's queue then. */
  async #replaceEdge(place: Place): Promise<boolean> {
    const old = place.running
    if (old === null) return true
    const started = await this.#startIn(place)
    if (started === null) {
      if (this.#stopping === null) this.#notReplaced(place)
      return false
    }
    const next = started.process
    // The kernel has the sockets in the order in which they began to listen.
    await this.#steer(next, this.#listening.size - 1)
    const unlistened = old.says('unlistened', unlistenedMsMax)
    old.send({ kind: 'retire' })
    await unlistened
    await this.#steer(next, null)
    return true
  }

  async #steer(next: RunningProcess, place: number | null): Promise<void> {
    const steered = next.says('steered', steeredMsMax)
    next.send({ kind: 'steer', place })
    if (!(await steered)) this.#options.log.warn('connections not steered', { pid: next.pid })
  }

  #ended(processes: readonly RunningProcess[]): Promise<void> {
    return endedWithin(this.#options.config.shutdownSecondsMax * 1000 + endMsMax, processes)
  }

  #notReplaced({ kind }: Place): void {
    this.#options.log.error('process not replaced: the new one did not start', { process: kind })
  }
}
