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
