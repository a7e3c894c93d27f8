import type { Log } from '#observe/log.ts'
import { WakeUp } from './wake-up.ts'

interface LoopOptions {
  readonly signal: AbortSignal
  /** Ends the wait before its time. */
  readonly wakeUp?: WakeUp
  /** Receives what `work` throws; when this resolves, `work` runs again at once. Without it the loop throws. */
  readonly onError?: (error: unknown) => Promise<void>
}

/** Repeats `work` until the signal is aborted: after as many milliseconds as it returns, or earlier on a wake-up. */
export async function everyOrWhenWoken(
  work: () => Promise<number>,
  { signal, wakeUp = new WakeUp(), onError = rethrow }: LoopOptions,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const ms = await work()
      if (ms > 0) await wakeUp.wait(ms, signal)
    } catch (error) {
      await onError(error)
    }
  }
}

async function rethrow(error: unknown): Promise<void> {
  throw error
}

interface Rhythm {
  readonly everyMs: number
  readonly firstAfterMs?: number
  /** What the log says when `work` throws. */
  readonly failure: string
}

/** Repeats `work` every `everyMs`, or earlier on a wake-up, until the signal is aborted; logs what it throws and continues. */
export async function repeatEvery(
  { everyMs, firstAfterMs = 0, failure }: Rhythm,
  work: () => Promise<unknown>,
  { log, ...options }: { readonly log: Log } & Pick<LoopOptions, 'signal' | 'wakeUp'>,
): Promise<void> {
  if (firstAfterMs > 0) await new WakeUp().wait(firstAfterMs, options.signal)
  const workAndLog = async (): Promise<number> => {
    try {
      await work()
    } catch (error) {
      if (!options.signal.aborted) log.error(failure, { error })
    }
    return everyMs
  }
  await everyOrWhenWoken(workAndLog, options)
}
