import { expect, test } from 'bun:test'
import { hashPassword, isPassword } from '#api/session/admin-password.ts'

const password = 'correct horse battery'

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
