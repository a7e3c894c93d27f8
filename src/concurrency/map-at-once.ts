import pMap from 'p-map'

/**
 * The results of `work` for each item, in order, at most `atOnce` at a time. Rejects with the first failure or the
 * signal's reason, but only after it has aborted all other work and that has ended: the caller may then close what
 * the work used.
 */
export async function mapAtOnce<Item, Result>(
  items: readonly Item[],
  { atOnce, signal }: { atOnce: number; signal: AbortSignal },
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  signal.throwIfAborted()
  if (items.length === 0) return []
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const running = new Set<Promise<Result>>()
  const start = async (item: Item): Promise<Result> => {
    const result = work(item, either)
    running.add(result)
    try {
      return await result
    } finally {
      running.delete(result)
    }
  }
  try {
    return await pMap(items, start, { concurrency: atOnce, signal })
  } catch (error) {
    failed.abort(error)
    await Promise.allSettled(running)
    throw error
  }
}
