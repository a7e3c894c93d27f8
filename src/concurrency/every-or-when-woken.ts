import type { Log } from '#observe/log.ts'
import { WakeUp } from './wake-up.ts'

interface LoopOptions {
  readonly signal: AbortSignal
  /** Ends the wait before its time. */
  readonly wakeUp?: WakeUp
  /** What `work` throws; when this resolves, it is done again at once. Without it the loop throws. */
  readonly onError?: (error: unknown) => Promise<void>
}

/** Does `work` until the signal ends it: again after as many milliseconds as it returns, or when it is woken before. */
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

/** Does `work` every so often until the signal ends it; what it throws is logged, and it is done again at its time. */
export async function repeatEvery(
  { everyMs, firstAfterMs = 0, failure }: Rhythm,
  work: () => Promise<unknown>,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<void> {
  if (firstAfterMs > 0) await new WakeUp().wait(firstAfterMs, signal)
  const workAndLog = async (): Promise<number> => {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) log.error(failure, { error })
    }
    return everyMs
  }
  await everyOrWhenWoken(workAndLog, { signal })
}
