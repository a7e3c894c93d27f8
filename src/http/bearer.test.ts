import { expect, test } from 'bun:test'
import { isBearer } from './bearer.ts'

test.each([
  ['Bearer secret', true],
  ['bearer secret', true],
  ['Bearer secre', false],
  ['Bearer secret2', false],
  ['Bearer  secret x', false],
  ['Basic secret', false],
  ['secret', false],
  ['Bearer ', false],
  [null, false],
  [undefined, false],
])('%p', (field, expected) => {
  expect(isBearer(field, 'secret')).toBe(expected)
})
