/**
 * Splits a list into chunks that fit one statement: PostgreSQL takes 65 535 parameters, SQLite 32 766, and both plan a
 * short list faster than a long one.
 */
export function* chunksOf<Item>(items: readonly Item[], size = 500): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}
