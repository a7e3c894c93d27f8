import { expect, test } from 'bun:test'
import { notYet, required } from './required.ts'
import { states } from './states.ts'

const there = new Set(states.map(({ name }) => name))

test('the gallery has every state that has to exist', () => {
  expect(required.filter((name) => !there.has(name))).toEqual([...notYet])
  expect(notYet.filter((name) => there.has(name))).toEqual([])
})

test('each state has a name of its own', () => {
  expect(there.size).toBe(states.length)
})
