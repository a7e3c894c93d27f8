import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Database } from '#store/database/database.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { AdminSignIn } from './admin-sign-in.ts'

let database: Database
beforeAll(async () => {
  database = await memoryDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const tryOf = (n: number, device: string | null = null) => ({
  name: 'ruth',
  network: `198.51.100.${n}`,
  device,
})

test('guesses from everywhere at once: two are checked, twenty wait, the others are told to', async () => {
  const release = Promise.withResolvers<void>()
  let checking = 0
  let checkedAtOnce = 0
  const signIn = new AdminSignIn({
    db: database.db,
    elapsed: () => 0,
    isPassword: async (password) => {
      checkedAtOnce = Math.max(checkedAtOnce, ++checking)
      if (password === 'a guess') await release.promise
      checking -= 1
      return false
    },
  })
  const refused: unknown[] = []
  const guesses = Array.from({ length: 40 }, (_, n) =>
    signIn.check(tryOf(n), 'a guess').catch((error: unknown) => {
      refused.push(error)
    }),
  )
  // Whoever has signed in here before passes them all.
  expect(await signIn.check(tryOf(0, 'of Ruth'), 'hers')).toBeNull()
  expect(refused).toHaveLength(18)
  expect(refused[0]).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
  release.resolve()
  await Promise.all(guesses)
  expect([checkedAtOnce, refused.length]).toEqual([3, 18])
})
