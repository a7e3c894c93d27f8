import { expect, test } from 'bun:test'
import { isAccount } from './wanted-name.ts'

const alice = { did: 'did:plc:alice', handle: 'alice.test' }

test.each([
  ['alice.test', true],
  ['Alice.Test', true],
  ['did:plc:alice', true],
  ['test', true],
  ['bob.test', false],
  ['did:plc:bob', false],
  ['e.test', false],
])('a sign-in that was begun with %s leads to alice.test: %p', (entered, expected) => {
  expect(isAccount(entered, alice)).toBe(expected)
})
