import { expect, test } from 'bun:test'
import { errorSentence } from './api.ts'

const sentences: [unknown, string][] = [
  [{ error: 'A site of this name is being published.' }, 'A site of this name is being published.'],
  [
    { error: 'Authentication failed', details: 'That handle does not exist.' },
    'That handle does not exist.',
  ],
  [{ error: 'Internal error', id: 'a1b2' }, 'Internal error (a1b2)'],
  [{ error: 42 }, 'Sitehost answered with an error (502). Try again.'],
  [null, 'Sitehost answered with an error (502). Try again.'],
]

test.each(sentences)('%j becomes a sentence', (body, sentence) => {
  expect(errorSentence(body, 502)).toBe(sentence)
})
