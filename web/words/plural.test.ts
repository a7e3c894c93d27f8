import { expect, test } from 'bun:test'
import { counts, plurals } from './plural.ts'

test.each([
  [999, 'en', '999', '999 files'],
  [2001, 'en', '2,001', '2,001 files'],
  [2001, 'de', '2.001', '2.001 files'],
])('%d has the same digits with a noun and without one in %s', (n, locale, alone, counted) => {
  expect(counts(locale)(n)).toBe(alone)
  expect(plurals(locale)(n, 'file', 'files')).toBe(counted)
})
