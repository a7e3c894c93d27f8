import { expect, test } from 'bun:test'
import { columns } from './columns.ts'

test('cells are below each other, and no line ends with spaces', () => {
  expect(
    columns([
      ['a', 'live', 'first'],
      ['bcd', 'replaced', ''],
    ]),
  ).toEqual(['a    live      first', 'bcd  replaced'])
  expect(columns([])).toEqual([])
})

test('a row that is wider than the terminal is broken between words, the others are not', () => {
  const rows = [
    ['a', 'live', '2026-11-27 15:33 UTC'],
    ['bcd', '', '3 files'],
  ]
  expect(columns(rows, 27)).toEqual(['a, live, 2026-11-27 15:33', '  UTC', 'bcd        3 files'])
})
