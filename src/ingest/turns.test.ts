import { expect, test } from 'bun:test'
import { Turns } from './turns.ts'

test('one at a time, in order, whatever becomes of the one before', async () => {
  const turns = new Turns()
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const first = turns.take(async () => {
    begun.push('first')
    await gate.promise
    throw new Error('failed')
  })
  const others = ['second', 'third'].map((name) =>
    turns.take(async () => {
      begun.push(name)
      return name
    }),
  )
  await new Promise(setImmediate)
  expect(begun).toEqual(['first'])
  gate.resolve()
  await expect(first).rejects.toThrow('failed')
  expect(await Promise.all(others)).toEqual(['second', 'third'])
  expect(begun).toEqual(['first', 'second', 'third'])
})
