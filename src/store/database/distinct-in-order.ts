/**
 * The last row of each key, sorted by key: for statements that write many rows. PostgreSQL rejects a statement that writes
 * a row twice, and two that write the same rows in different orders deadlock.
 */
export function distinctInOrder<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): readonly Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row] as const))
  const entries = [...byKey].sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([, row]) => row)
}
