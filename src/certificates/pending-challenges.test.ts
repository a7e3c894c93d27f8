import { expect, test } from 'bun:test'
import { PendingChallenges } from './pending-challenges.ts'

test('any number of unknown tokens costs one read at a time; a token that was just stored is found', async () => {
  const stored = new Map([['old', 'answer']])
  let reads = 0
  const challenges = new PendingChallenges({
    everyMs: 20,
    read: async () => {
      reads += 1
      return new Map(stored)
    },
  })
  expect(await challenges.answer('old')).toBe('answer')
  expect([await challenges.answer('old'), reads]).toEqual(['answer', 1])
  const strangers = Array.from({ length: 1000 }, (_, n) => challenges.answer(`made-up-${n}`))
  // Stored after those asked, and before they are answered.
  stored.set('new', 'answer')
  expect(await challenges.answer('new')).toBe('answer')
  expect(new Set(await Promise.all(strangers))).toEqual(new Set([null]))
  expect(reads).toBe(2)
})

test('what is stored while a read runs is found by the next one', async () => {
  const { promise: held, resolve: release } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const stored = new Map<string, string>()
  let reads = 0
  const challenges = new PendingChallenges({
    everyMs: 0,
    read: async () => {
      const answers = new Map(stored)
      reads += 1
      begun.resolve()
      if (reads === 1) await held
      return answers
    },
  })
  const stranger = challenges.answer('made-up')
  await begun.promise
  stored.set('token', 'answer')
  const authority = challenges.answer('token')
  release()
  expect(await Promise.all([stranger, authority])).toEqual([null, 'answer'])
})

test('a read that fails is not the last one', async () => {
  let fails = true
  const challenges = new PendingChallenges({
    everyMs: 0,
    read: async () => {
      if (fails) throw new Error('the database is away')
      return new Map([['token', 'answer']])
    },
  })
  await expect(challenges.answer('token')).rejects.toThrow('away')
  fails = false
  expect(await challenges.answer('token')).toBe('answer')
})
