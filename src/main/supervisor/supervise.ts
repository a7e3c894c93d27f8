import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onAbort } from '#concurrency/or-aborted.ts'
import { Supervisor, type SupervisorOptions } from './supervisor.ts'

interface SuperviseOptions extends Omit<SupervisorOptions, 'folder'> {
  /** Stops the instance. */
  readonly signal: AbortSignal
}

/** An instance of several processes. */
export interface RunningInstance {
  /** What the core says to programs that start it. */
  readonly ready: object
  /** Replaces all processes, one after the other; resolves when that is done, or cannot be. */
  replaceAll(): Promise<void>
  /** Resolves when all processes have ended after the signal. */
  readonly stopped: Promise<void>
}

/**
 * Starts the core of an instance and its edge processes, starts them again when they die, and stops them with the signal.
 * Throws StartError if one does not become ready; it has said why.
 */
export async function supervise({
  signal,
  ...options
}: SuperviseOptions): Promise<RunningInstance> {
  await using opened = new AsyncDisposableStack()
  // Short: the path of a socket has at most 107 bytes.
  const folder = await mkdtemp(join(tmpdir(), 'sitehost-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const supervisor = new Supervisor({ ...options, folder })
  opened.defer(() => supervisor.stop())
  const stopping = Promise.withResolvers<void>()
  opened.use(onAbort(signal, () => stopping.resolve(supervisor.stop())))
  const ready = await supervisor.start()
  const open = opened.move()
  return {
    ready,
    replaceAll: () => supervisor.replaceAll(),
    stopped: stopping.promise.finally(() => open.disposeAsync()),
  }
}
