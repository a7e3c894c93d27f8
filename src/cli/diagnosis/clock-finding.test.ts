import { expect, test } from 'bun:test'
import { clockFinding } from './clock-finding.ts'

const hour = 3_600_000
const theirs = 1000 * hour

test.each<[string, number, number, string]>([
  ['the same second', theirs + 900, theirs + 950, 'at most 1 s off'],
  ['a slow answer', theirs - 60_000, theirs + 60_000, 'at most 1 s off'],
  ['five seconds', theirs + 6_000, theirs + 6_000, 'at most 6 s off'],
  ['ahead', theirs + hour, theirs + hour, '3599 s ahead of the clock of pds.test'],
  ['behind', theirs - hour, theirs - hour, '3600 s behind the clock of pds.test'],
])('%s', (_, began, ended, seen) => {
  expect(clockFinding('pds.test', theirs, { began, ended }).seen).toBe(seen)
})
