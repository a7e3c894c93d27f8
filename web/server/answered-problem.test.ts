import { expect, test } from 'bun:test'
import { answeredProblem } from './answered-problem.ts'

const answers: [unknown, string, field: string | null][] = [
  [{ error: 'That name is taken.' }, 'That name is taken.', null],
  [
    { error: 'Authentication failed', details: 'That handle does not exist.' },
    'That handle does not exist.',
    null,
  ],
  [{ error: 'Internal error', id: 'a1b2' }, 'Internal error (a1b2)', null],
  [{ error: 42 }, 'Sitehost answered with an error (502). Try again.', null],
  [null, 'Sitehost answered with an error (502). Try again.', null],
  [
    { error: 'address: expected a path, such as /about' },
    'Enter a path, such as /about.',
    'address',
  ],
  [
    { error: 'headers.2.name: expected at least 1 character' },
    'Enter at least 1 character.',
    'headers.2.name',
  ],
  [{ error: 'domain: nobody owns this one' }, 'Nobody owns this one.', 'domain'],
  [{ error: 'Try again: it was the network.' }, 'Try again: it was the network.', null],
]

test.each(answers)('%j becomes a sentence', (body, sentence, field) => {
  expect(answeredProblem(502, body)).toEqual({ message: sentence, field })
})

test('a sign-in that has ended is said in words', () => {
  const { message } = answeredProblem(401, { error: 'Unauthorized' })
  expect(message).toBe('Your sign-in has ended. Sign in again.')
})
