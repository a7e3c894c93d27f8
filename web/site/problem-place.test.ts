import { expect, test } from 'bun:test'
import { inLocalTime, problemPlace } from './problem-place.ts'

const problems: [string, string | null, string][] = [
  ['_redirects, line 2: not a status: 999', '_redirects, line 2', 'not a status: 999'],
  ['_headers: too large', '_headers', 'too large'],
  ['The record is too deep.', null, 'The record is too deep.'],
  ['Bad path: a: b', null, 'Bad path: a: b'],
]
test.each(problems)('%s', (problem, place, text) => {
  expect(problemPlace(problem)).toEqual({ place, text })
})

test('a time is the reader’s own, and nothing else changes', () => {
  const at = new Date(2026, 4, 30, 14, 0)
  const text = `We will try again at ${at.toISOString()}.`
  expect(inLocalTime(text, 'de')).toBe('We will try again at 30.05.2026, 14:00.')
  expect(inLocalTime('line 2: 2026-05-30', 'de')).toBe('line 2: 2026-05-30')
})
