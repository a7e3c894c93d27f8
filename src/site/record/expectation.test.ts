import { expect, test } from 'bun:test'
import { z } from 'zod'
import { expectation } from './expectation.ts'

const facts: [z.ZodType, unknown, string][] = [
  [z.string(), undefined, 'expected a string'],
  [z.string(), 1, 'expected a string'],
  [z.string().nullable(), 1, 'expected a string'],
  [z.boolean(), 'yes', 'expected true or false'],
  [z.number(), '1', 'expected a number'],
  [z.coerce.number(), 'x', 'expected a number'],
  [z.int(), 1.5, 'expected a whole number'],
  [z.array(z.string()), 'a', 'expected a list'],
  [z.object({}), [], 'expected an object'],
  [z.record(z.string(), z.string()), 1, 'expected an object'],
  [z.enum(['auto', 'always', 'never']), 'x', 'expected auto, always or never'],
  [z.literal(true), false, 'expected true'],
  [z.string().min(1), '', 'expected at least 1 character'],
  [z.string().max(2), 'abc', 'expected at most 2 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'expected at most 1 entry'],
  [z.number().min(0), -1, 'expected at least 0'],
  [z.url(), 'x', 'expected an address with https://'],
  [z.string().regex(/a/), 'x', 'expected a string in another format'],
  [z.date(), 'x', 'expected something else'],
  [z.union([z.string(), z.number()]), null, 'not what was expected'],
  [z.string().regex(/a/, 'expected an a'), 'x', 'expected an a'],
]
for (const [schema, value, sentence] of facts) {
  test(sentence, () => {
    const parsed = schema.safeParse(value, { error: expectation })
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([sentence])
  })
}
