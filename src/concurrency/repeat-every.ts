import { setTimeout } from 'node:timers/promises'
import type { Log } from '#observe/log.ts'

interface RepeatContext {
  readonly log: Log
  readonly signal: AbortSignal
}

interface Rhythm {
  readonly everyMs: number
  readonly firstAfterMs?: number
  /** What the log says when `work` throws. */
  readonly failure: string
}

/** Does `work` again and again until the signal ends it; what it throws is logged, and it is done again at its time. */
export async function repeatEvery(
  { everyMs, firstAfterMs = 0, failure }: Rhythm,
  work: () => Promise<unknown>,
  { log, signal }: RepeatContext,
): Promise<void> {
  // Rejects only when the signal ends the wait, which the loop sees by itself.
  const wait = (ms: number): Promise<void> =>
    setTimeout(ms, undefined, { signal }).catch(() => undefined)
  if (firstAfterMs > 0) await wait(firstAfterMs)
  while (!signal.aborted) {
    try {
      await work()
    } catch (error) {
      if (!signal.aborted) log.error(failure, { error })
    }
    await wait(everyMs)
  }
}
