import { expect, test } from 'bun:test'
import { acmeProblem, problemKind } from './acme-problem.ts'

const problem = (type: string, detail: string) =>
  acmeProblem(JSON.stringify({ type: `urn:ietf:params:acme:error:${type}`, detail }), 403, 5)

test('the words of the authority are kept, without what nobody sees, and not all of a long text', () => {
  const { detail, message, retryAfterMs, type } = problem(
    'caa',
    ' not\u0007 \u202eus\r\n\u2028here ',
  )
  expect([detail, message]).toEqual(['not us here', 'caa: not us here'])
  expect([type, retryAfterMs]).toEqual(['caa', 5])
  expect(problem('caa', 'x'.repeat(501)).detail).toHaveLength(500)
})

test.each([
  ['rateLimited', 'rate-limit'],
  ['unauthorized', 'wrong-answer'],
  ['externalAccountRequired', 'account'],
  ['malformed', 'other'],
  ['toString', 'other'],
  ['status 503', 'away'],
  ['status 404', 'other'],
] as const)('%s is for people: %s', (type, kind) => {
  expect(problemKind(type)).toBe(kind)
})
