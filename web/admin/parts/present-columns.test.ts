import { expect, test } from 'bun:test'
import { presentColumns } from './present-columns.ts'

test('a column is left out when every row is without it', () => {
  const columns = [
    { head: 'Name' },
    {
      head: 'Certificate',
      isAbsent: (row: { certificate?: string | null }) => row.certificate === undefined,
    },
  ]
  const headsOf = (rows: readonly { certificate?: string | null }[]) =>
    presentColumns(columns, rows).map(({ head }) => head)
  expect(headsOf([{}, {}])).toEqual(['Name'])
  expect(headsOf([{}, { certificate: null }])).toEqual(['Name', 'Certificate'])
})
