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
  const late = Promise.withResolvers<void>()
  let timer: Timer | undefined
  const startWaiting = (): void => {
    timer = setTimeout(late.resolve, waitMsMax)
  }
  if (signal.aborted) startWaiting()
  else signal.addEventListener('abort', startWaiting, { once: true })
  try {
    await Promise.race([background, late.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', startWaiting)
  }
}
