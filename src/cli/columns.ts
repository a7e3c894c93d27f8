/** One line for each row, with its cells below each other; what is last in a row is as long as it is. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>((widest, row) => {
    return row.map((cell, at) => Math.max(cell.length, widest[at] ?? 0))
  }, [])
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
