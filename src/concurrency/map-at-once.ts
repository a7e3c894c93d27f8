import pMap from 'p-map'

/**
 * The results of `work` for each item, in order, so many at once. Ends with the first failure or the
 * signal, and only when nothing of it runs any more: the others' signal is aborted and they are waited
 * for, so that whoever called may close what they used.
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
