import { expect, test } from 'bun:test'
import { problemPlace } from './problem-place.ts'

const problems: [string, string | null, string][] = [
  ['_redirects, line 2: not a status: 999', '_redirects, line 2', 'not a status: 999'],
  ['_headers: too large', '_headers', 'too large'],
  ['The record is too deep.', null, 'The record is too deep.'],
  ['Bad path: a: b', null, 'Bad path: a: b'],
]
test.each(problems)('%s', (problem, place, text) => {
  expect(problemPlace(problem)).toEqual({ place, text })
})
