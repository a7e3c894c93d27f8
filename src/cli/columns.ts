import { wrapped } from './wrapped.ts'

type Row = readonly string[]

/**
 * One line for each row, with its cells below each other; what is last in a row is as long as it is. Of a row that is longer than
 * `width`, the width of a terminal, the cells follow each other, broken between words.
 */
export function columns(rows: readonly Row[], width = Number.POSITIVE_INFINITY): string[] {
  const widths = rows.reduce<number[]>((widest, row) => {
    return row.map((cell, at) => Math.max(cell.length, widest[at] ?? 0))
  }, [])
  return rows.flatMap((row) => {
    const padded = row.map((cell, at) => cell.padEnd(widths[at] ?? 0))
    const line = padded.join('  ').trimEnd()
    return line.length > width ? brokenRow(row, width) : [line]
  })
}

function brokenRow(row: Row, width: number): string[] {
  const cells = row.filter((cell) => cell !== '').join(', ')
  const [first = '', ...rest] = wrapped(cells, width - 2).split('\n')
  return [first, ...rest.map((line) => `  ${line}`)]
}
