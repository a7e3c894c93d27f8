import { describe, expect, test } from 'bun:test'
import { hashPassword, isAdminName, isPassword, passwordProblem } from './admin-password.ts'

const password = 'correct horse battery'

test('a password matches its own hash, and no other', async () => {
  const hash = await hashPassword(password)
  expect(await isPassword(password, hash)).toBe(true)
  expect(await isPassword(`${password} `, hash)).toBe(false)
  expect(await isPassword('', hash)).toBe(false)
  expect(await hashPassword(password)).not.toBe(hash)
})

test('however a keyboard composes its letters', async () => {
  expect(await isPassword('cafe\u0301 au lait!', await hashPassword('caf\u00e9 au lait!'))).toBe(
    true,
  )
})

describe('what may be a password', () => {
  const facts: [string, boolean][] = [
    ['x'.repeat(11), false],
    ['x'.repeat(12), true],
    ['\u{1f331}'.repeat(11), false],
    ['x'.repeat(256), true],
    ['x'.repeat(257), false],
    ['Ruth and no more', false],
  ]
  for (const [text, expected] of facts) {
    test(`${text.slice(0, 20)} (${text.length})`, () => {
      expect(passwordProblem(text, 'ruth') === null).toBe(expected)
    })
  }
})

describe('what may be a name', () => {
  for (const name of ['r', 'ruth', 'ruth.s_1-a', '1', 'x'.repeat(64)]) {
    test(name, () => expect(isAdminName(name)).toBe(true))
  }
  for (const name of ['', 'Ruth', '-r', 'r s', 'r|s', 'rüth', 'r\n', 'x'.repeat(65)]) {
    test(`not ${JSON.stringify(name)}`, () => expect(isAdminName(name)).toBe(false))
  }
})
