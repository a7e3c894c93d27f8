import { beforeEach, expect, test } from 'bun:test'
import { ExpiringTier } from './expiring-tier.ts'

let time: number
let tier: ExpiringTier<string>
beforeEach(() => {
  time = 0
  tier = new ExpiringTier({ bytesMax: 10, ttlMs: 100, elapsed: () => time })
})

test('a value is there until its time is over, however often it is used', () => {
  tier.set('a', 'first', 1)
  time = 99
  expect(tier.get('a')).toBe('first')
  time = 100
  expect(tier.get('a')).toBeUndefined()
})

test('one that is set again has its time again', () => {
  tier.set('a', 'first', 1)
  time = 99
  tier.set('a', 'second', 1)
  time = 198
  expect(tier.get('a')).toBe('second')
})

test('there are no more bytes than fit', () => {
  tier.set('a', 'first', 6)
  tier.set('b', 'second', 6)
  expect([tier.get('a'), tier.get('b')]).toEqual([undefined, 'second'])
})

test('deleted and cleared, values are gone', () => {
  for (const key of ['a', 'b', 'c']) tier.set(key, key, 1)
  tier.delete('a')
  expect([tier.get('a'), tier.get('b')]).toEqual([undefined, 'b'])
  tier.clear()
  expect([tier.get('b'), tier.get('c')]).toEqual([undefined, undefined])
})
