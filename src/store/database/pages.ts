import { yieldEventLoop } from '#concurrency/yield-event-loop.ts'

/**
 * All rows in the order of their keys, page by page: `list` returns the rows after a key, and none at the end. Yields to
 * the event loop between two pages, because SQLite answers synchronously.
 */
export async function* pagesOf<Row>(
  list: (after: string) => Promise<Row[]>,
  keyOf: (row: Row) => string,
  after = '',
): AsyncGenerator<Row[]> {
  for (let from = after; ; ) {
    const page = await list(from)
    const last = page.at(-1)
    if (last === undefined) return
    yield page
    from = keyOf(last)
    await yieldEventLoop()
  }
}
