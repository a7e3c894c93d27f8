import { beforeEach, expect, test } from 'bun:test'
import { ExpiringTier } from './expiring-tier.ts'

let time: number
let tier: ExpiringTier<string>
beforeEach(() => {
  time = 0
  tier = new ExpiringTier({ bytesMax: 10, ttlMs: 100, elapsed: () => time })
})

test('a value is there until its time is over, however often it is used', () => {
  tier.set('a', 'first', { bytes: 1, owner: 'alice' })
  time = 99
  expect(tier.get('a')).toBe('first')
  time = 100
  expect(tier.get('a')).toBeUndefined()
})

test('one that is set again has its time again', () => {
  tier.set('a', 'first', { bytes: 1, owner: 'alice' })
  time = 99
  tier.set('a', 'second', { bytes: 1, owner: 'alice' })
  time = 198
  expect(tier.get('a')).toBe('second')
})

test('there are no more bytes than fit', () => {
  tier.set('a', 'first', { bytes: 6, owner: 'alice' })
  tier.set('b', 'second', { bytes: 6, owner: 'alice' })
  expect([tier.get('a'), tier.get('b')]).toEqual([undefined, 'second'])
})

test('deleted, alone or with all of its owner, a value is gone', () => {
  for (const key of ['a', 'b', 'c']) tier.set(key, key, { bytes: 1, owner: 'alice' })
  tier.set('d', 'd', { bytes: 1, owner: 'bob' })
  tier.delete('a')
  expect([tier.get('a'), tier.get('b')]).toEqual([undefined, 'b'])
  tier.deleteOwner('alice')
  expect(['b', 'c', 'd'].map((key) => tier.get(key))).toEqual([undefined, undefined, 'd'])
})
