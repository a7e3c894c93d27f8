import { orAborted, withTimeout } from '#concurrency/or-aborted.ts'

/** A server that a job or an ingest waits for may send a byte now and then, for minutes. */
const stopWaitMsMax = 3_000

/**
 * Resolves when all background work has ended, and a moment after the signal even if it has not: what
 * is left over, the next start goes on with. Rejects when it could not go on.
 */
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
