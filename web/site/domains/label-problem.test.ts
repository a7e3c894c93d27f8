import { expect, test } from 'bun:test'
import '#web/words/own-domains.ts'
import { labelProblem } from './label-problem.ts'

const labels: [string, string | null][] = [
  ['', 'Type the address you would like.'],
  ['ab', 'Use at least 3 characters.'],
  ['abc', null],
  ['My-Site-2', null],
  ['a'.repeat(63), null],
  ['a'.repeat(64), 'Use at most 63 characters.'],
  ['-abc', 'Use only letters, digits and single dashes inside.'],
  ['abc-', 'Use only letters, digits and single dashes inside.'],
  ['a--b', 'Use only letters, digits and single dashes inside.'],
  ['a.b', 'Use only letters, digits and single dashes inside.'],
  ['café', 'Use only letters, digits and single dashes inside.'],
]
test.each(labels)('%j: %j', (label, problem) => expect(labelProblem(label)).toBe(problem))
