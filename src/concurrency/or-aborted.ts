/** Settles as `work` does, or rejects with the signal's reason; the work then continues in the background. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work
  const { promise, reject } = Promise.withResolvers<never>()
  using _ = onAbort(signal, reject)
  return await Promise.race([work, promise])
}

/** Calls `stop` with the signal's reason when it is aborted, or at once if it is; never after it was disposed of. */
export function onAbort(
  signal: AbortSignal | undefined,
  stop: (reason: unknown) => void,
): Disposable {
  const abort = (): void => stop(signal?.reason)
  if (signal?.aborted) abort()
  signal?.addEventListener('abort', abort)
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', abort) }
}

/** Settles as `work` does, or after `ms` as `late` does; the work then continues in the background. */
export async function withTimeout<T, Late>(
  work: Promise<T>,
  ms: number,
  late: () => Late | Promise<Late>,
): Promise<T | Late> {
  const timeout = AbortSignal.timeout(ms)
  try {
    return await orAborted(work, timeout)
  } catch (error) {
    if (!timeout.aborted || error !== timeout.reason) throw error
    return late()
  }
}
