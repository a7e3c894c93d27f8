import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseVersionKey, versionKeyAt } from './version-key.ts'

test('a key of the present day looks as the specification has it', () => {
  expect(versionKeyAt(Date.parse('2026-11-23T00:00:00Z'), 0)).toMatch(/^3[a-z2-7]{12}$/)
})

test('every key is one, and keys sort by their time', () => {
  const time = fc.nat(4_000_000_000_000)
  fc.assert(
    fc.property(time, time, fc.nat(1023), fc.nat(1023), (a, b, one, other) => {
      const [first, second] = [versionKeyAt(a, one), versionKeyAt(b, other)]
      expect(parseVersionKey(first)).toBe(first)
      if (a !== b) expect(first < second).toBe(a < b)
    }),
  )
})
