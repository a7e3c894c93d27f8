import { SingleFlight } from './single-flight.ts'

/** Reading takes at most one part in so many of the time. */
const timesCost = 100
/** Quick readings are not kept: who has changed something sees it at once. */
const quickMs = 10
const keptMsMax = 5 * 60_000

/**
 * Calls `read` once at a time, and keeps what it returns for a hundred times as long as it took: what is cheap is always new, and
 * what is expensive is read seldom, however often it is asked for.
 */
export function cachedRead<Value>(
  read: () => Promise<Value>,
  elapsed: () => number = () => performance.now(),
): () => Promise<Value> {
  const running = new SingleFlight<'read', Value>()
  let kept: { readonly value: Value; readonly until: number } | null = null
  return async () => {
    if (kept !== null && elapsed() < kept.until) return kept.value
    return await running.run('read', async () => {
      const began = elapsed()
      const value = await read()
      const tookMs = elapsed() - began
      const keptMs = tookMs < quickMs ? 0 : Math.min(tookMs * timesCost, keptMsMax)
      kept = { value, until: elapsed() + keptMs }
      return value
    })
  }
}
