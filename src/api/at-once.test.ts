import { expect, test } from 'bun:test'
import { AtOnce } from './at-once.ts'
import { ApiError } from './errors.ts'

const atOnce = () => new AtOnce({ max: 2, sentence: 'Too many.', retryAfterSeconds: 5 })

test('so many at once, and one more when one has ended', () => {
  const counter = atOnce()
  const first = counter.enter('alice')
  counter.enter('alice')
  expect(() => counter.enter('alice')).toThrow(ApiError)
  first[Symbol.dispose]()
  counter.enter('alice')
  expect(() => counter.enter('alice')).toThrow('Too many.')
})

test('one key’s are not another’s', () => {
  const counter = atOnce()
  for (const _ of [1, 2]) counter.enter('alice')
  expect(() => counter.enter('bob')).not.toThrow()
})

test('what has ended twice counts once', () => {
  const counter = atOnce()
  const first = counter.enter('alice')
  counter.enter('alice')
  for (const _ of [1, 2]) first[Symbol.dispose]()
  counter.enter('alice')
  expect(() => counter.enter('alice')).toThrow(ApiError)
})
