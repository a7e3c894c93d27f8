/**
 * What `work` resolves to, or the signal's reason as soon as it is aborted. For work that cannot be
 * stopped: it goes on by itself, and nobody waits for it.
 */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** What `work` resolves to, or after `ms` what `late` returns, or throws. The work goes on, and nobody waits for it. */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  late: () => Late,
): Promise<T | Late> {
  const timeout = AbortSignal.timeout(ms)
  try {
    return await orAborted(work, timeout)
  } catch (error) {
    if (!timeout.aborted || error !== timeout.reason) throw error
    return late()
  }
}
