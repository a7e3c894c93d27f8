import { withTimeout } from '#concurrency/or-aborted.ts'
import { childEnvironment } from '#main/config/config.ts'
import { defaultPurgeDelayMs } from '#main/process/purge-delay.ts'
import {
  type FromProcess,
  type Supervised,
  supervisedArgument,
  type ToProcess,
} from './supervisor-messages.ts'

interface StartOptions {
  readonly supervised: Supervised
  readonly settings: Readonly<Record<string, string>>
  readonly onMessage: (message: FromProcess) => void
}

/** A process of the instance. */
export interface RunningProcess {
  readonly pid: number
  readonly startedAt: number
  /** What it says to programs that start it; null: it ended before it was ready. */
  readonly ready: Promise<object | null>
  readonly exited: Promise<number>
  readonly hasExited: boolean
  /** Whether it sends such a message within this time; false once it has ended. */
  says(kind: FromProcess['kind'], msMax: number): Promise<boolean>
  send(message: ToProcess): void
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

/** Starts the program once more, as it is on the disk now. */
export function startProcess({ onMessage, settings, supervised }: StartOptions): RunningProcess {
  const ready = Promise.withResolvers<object | null>()
  const awaited = new Map<FromProcess['kind'], () => void>()
  const child = Bun.spawn({
    cmd: [...ownProgram(), 'serve', '--supervised', supervisedArgument(supervised)],
    env: environmentOf(supervised.kind, childEnvironment(settings)),
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'inherit',
    // Another version of Bun may be there by then.
    serialization: 'json',
    ipc(message: FromProcess) {
      if (message.kind === 'ready') ready.resolve(message.ready)
      awaited.get(message.kind)?.()
      onMessage(message)
    },
  })
  void child.exited.then(() => ready.resolve(null))
  return {
    pid: child.pid,
    startedAt: Date.now(),
    ready: ready.promise,
    exited: child.exited,
    get hasExited() {
      return child.exitCode !== null || child.signalCode !== null
    },
    says(kind, msMax) {
      const said = new Promise<true>((resolve) => awaited.set(kind, () => resolve(true)))
      return withTimeout(Promise.race([said, child.exited.then(() => false)]), msMax, () => false)
    },
    send(message) {
      if (child.exitCode === null && child.signalCode === null) child.send(message)
    },
    kill: (signal) => child.kill(signal),
  }
}

/**
 * An edge process keeps freed memory for its next responses, unless the operator has chosen another delay. Returning it costs a page fault for
 * every few requests, and only the core takes uploads, which leave much of it free.
 */
export function environmentOf(
  kind: Supervised['kind'],
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const { MIMALLOC_PURGE_DELAY = defaultPurgeDelayMs } = environment
  const keepsMemory = kind === 'edge' && MIMALLOC_PURGE_DELAY === defaultPurgeDelayMs
  return keepsMemory ? { ...environment, MIMALLOC_PURGE_DELAY: '-1' } : environment
}

/** Resolves when these have ended; those that still run after `ms` are killed. */
export async function endedWithin(ms: number, processes: readonly RunningProcess[]): Promise<void> {
  const ends = processes.map(async (process) => {
    await withTimeout(process.exited, ms, () => process.kill('SIGKILL'))
    await process.exited
  })
  await Promise.all(ends)
}

/** A one-file binary has its program in itself. */
function ownProgram(): string[] {
  const [, program = ''] = process.argv
  return program.startsWith('/$bunfs/') ? [process.execPath] : [process.execPath, program]
}
