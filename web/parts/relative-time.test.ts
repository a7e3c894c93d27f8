import { expect, test } from 'bun:test'
import { timeAgo } from './relative-time.ts'

const minute = 60_000
const day = 24 * 60 * minute
const ages: [ms: number, text: string][] = [
  [0, 'just now'],
  [59_000, 'just now'],
  [minute, '1 minute ago'],
  [59 * minute, '59 minutes ago'],
  [60 * minute, '1 hour ago'],
  [day, 'yesterday'],
  [3 * day, '3 days ago'],
  [45 * day, 'last month'],
  [800 * day, '2 years ago'],
  [-2 * day, 'in 2 days'],
]
test.each(ages)('%d ms are %j', (ms, text) => {
  expect(timeAgo(1_700_000_000_000 - ms, 1_700_000_000_000)).toBe(text)
})
