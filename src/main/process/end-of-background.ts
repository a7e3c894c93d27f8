import { once } from 'node:events'
import { orAborted, withTimeout } from '#concurrency/or-aborted.ts'

/** A server for which a job or ingest waits may send a byte now and then, for minutes. */
const stopWaitMsMax = 3_000

/** Resolves when background work ends, at most `waitMsMax` after the signal: the next start continues it. Rejects if it fails. */
export async function endOfBackground(
  background: Promise<unknown>,
  signal: AbortSignal,
  waitMsMax = stopWaitMsMax,
): Promise<void> {
  try {
    await orAborted(background, signal)
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
    await withTimeout(background, waitMsMax, () => undefined)
  }
}

/** Resolves when the signal is aborted, or at once if it is. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
