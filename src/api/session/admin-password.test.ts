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

test('nobody’s password is none, and is checked at the same cost as anybody’s', async () => {
  const cost = (hash: string) => hash.split('$').slice(0, 4).join('$')
  const hash = await hashPassword(password)
  expect(cost(hash)).toBe('$argon2id$v=19$m=19456,t=2,p=1')
  expect(await isPassword(password, null)).toBe(false)
  // Processor time, of this process in all its threads: as much on a busy machine.
  const spent = async (of: string | null) => {
    const before = process.cpuUsage()
    await isPassword(password, of)
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  const [known, unknown]: [number[], number[]] = [[], []]
  for (let i = 0; i < 5; i++) {
    known.push(await spent(hash))
    unknown.push(await spent(null))
  }
  const ratio = Math.min(...unknown) / Math.min(...known)
  expect(ratio).toBeGreaterThan(0.5)
  expect(ratio).toBeLessThan(2)
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
