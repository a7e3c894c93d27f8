import { expect, test } from 'bun:test'
import { problemOfField } from './field-problem.ts'

const problems: [string | null, field: string, string | null][] = [
  ['domain: nobody owns this one', 'domain', 'Nobody owns this one'],
  ['handle: 3 to 63 letters', 'handle', '3 to 63 letters'],
  ['indexFiles.0: expected a string', 'indexFiles', 'Expected a string'],
  ['indexFiles.0: expected a string', 'headers', null],
  ['That name is taken.', 'handle', null],
  ['Try again: it was the network.', 'again', null],
  [null, 'handle', null],
]
test.each(problems)('%j under %s: %j', (problem, field, told) => {
  expect(problemOfField(problem, field)).toBe(told)
})
