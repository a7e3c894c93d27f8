import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { MemoryTier } from './memory-tier.ts'

const filled = (bytesMax: number, ...keys: string[]) => {
  const tier = new MemoryTier<string>(bytesMax)
  for (const key of keys) tier.keep(key, key.toUpperCase(), 10)
  return tier
}
const there = (tier: MemoryTier<string>, ...keys: string[]) =>
  keys.filter((key) => tier.find(key) !== undefined).join('')

describe('a tier', () => {
  test('keeps exactly as much as it may', () => {
    expect(there(filled(30, 'a', 'b', 'c'), 'a', 'b', 'c')).toBe('abc')
    expect(there(filled(29, 'a', 'b', 'c'), 'a', 'b', 'c')).toBe('bc')
  })

  test('passes over what was used since the last round, once', () => {
    const tier = filled(30, 'a', 'b', 'c', 'd')
    expect(there(tier, 'a', 'b', 'c', 'd')).toBe('bcd')
    expect(tier.use(tier.find('b'))).toBe('B')
    tier.keep('e', 'E', 10)
    expect(there(tier, 'b', 'c', 'd', 'e')).toBe('bde')
    tier.keep('f', 'F', 10)
    expect(there(tier, 'b', 'd', 'e', 'f')).toBe('bef')
    tier.keep('g', 'G', 10)
    expect(there(tier, 'b', 'e', 'f', 'g')).toBe('efg')
  })

  test('keeps a new entry also when all others were used', () => {
    const tier = filled(30, 'a', 'b', 'c')
    for (const key of ['a', 'b', 'c']) tier.use(tier.find(key))
    tier.keep('d', 'D', 10)
    expect(there(tier, 'a', 'b', 'c', 'd')).toBe('bcd')
  })

  test('marks a kept entry as evicted', () => {
    const tier = filled(10, 'a')
    const kept = tier.find('a')
    expect(tier.use(kept)).toBe('A')
    tier.forget('a')
    expect(tier.use(kept)).toBeNull()
    expect(kept?.value).toBeNull()
  })

  test("evicts an owner's own entries when they exceed a quarter of it", () => {
    const tier = filled(80, 'a', 'b', 'c', 'd', 'e')
    for (const key of ['1', '2', '3', '4', '5']) tier.keep(key, key, 10, 'owner')
    const all = ['a', 'b', 'c', 'd', 'e', '1', '2', '3', '4', '5']
    expect(there(tier, ...all)).toBe('abcde345')
    tier.use(tier.find('3'))
    tier.keep('6', '6', 10, 'owner')
    expect(there(tier, ...all, '6')).toBe('abcde356')
    tier.grow('6', 1)
    expect(there(tier, ...all, '6')).toBe('abcde56')
  })

  test("evicts any entry for other owners, and for an owner's only entry", () => {
    const tier = filled(40, 'a', 'b')
    tier.keep('1', '1', 20, 'owner')
    tier.keep('c', 'C', 10, 'other')
    expect(there(tier, 'a', 'b', 'c', '1')).toBe('bc1')
    tier.keep('2', '2', 30, 'another')
    expect(there(tier, 'a', 'b', 'c', '1', '2')).toBe('c2')
  })

  test('does not keep an entry larger than itself, nor evict others for it', () => {
    const tier = filled(30, 'a')
    expect(tier.keep('b', 'B', 31).value).toBeNull()
    expect(tier.keep('c', 'C', 20).value).toBe('C')
    expect(there(tier, 'a', 'b', 'c')).toBe('ac')
  })

  test('takes the new in place of the old', () => {
    const tier = filled(30, 'a')
    tier.keep('a', 'again', 15)
    expect([tier.find('a')?.value, tier.stats.bytes]).toEqual(['again', 15])
  })

  test('counts what grows, and lets go of it when it is too much', () => {
    const tier = filled(30, 'a', 'b')
    tier.grow('b', 10)
    expect(there(tier, 'a', 'b')).toBe('ab')
    tier.grow('b', 1)
    expect(there(tier, 'a', 'b')).toBe('b')
    tier.grow('nobody', 100)
    expect(tier.stats.bytes).toBe(21)
  })

  test('counts hits, misses and evictions', () => {
    const tier = filled(20, 'a', 'b', 'c')
    tier.use(tier.find('a'))
    tier.use(tier.find('b'))
    expect(tier.stats).toEqual({
      entries: 2,
      bytes: 20,
      bytesMax: 20,
      hits: 1,
      misses: 1,
      evictions: 1,
    })
  })
})

test('counts exactly the bytes of its entries, within its limit, after any operations', () => {
  const step = fc.record({
    act: fc.constantFrom('keep', 'use', 'grow', 'forget', 'forgetAll'),
    key: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    bytes: fc.nat(60),
  })
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const [tier, bytes] = [new MemoryTier<number>(100), new Map<string, number>()]
      for (const { act, key, bytes: more } of steps) {
        if (act === 'keep') bytes.set(key, more) && tier.keep(key, more, more)
        else if (act === 'grow')
          bytes.set(key, (bytes.get(key) ?? 0) + more) && tier.grow(key, more)
        else if (act === 'use') tier.use(tier.find(key))
        else if (act === 'forget') tier.forget(key)
        else tier.forgetAll()
        for (const known of [...bytes.keys()]) if (!tier.find(known)) bytes.delete(known)
        const sum = [...bytes.values()].reduce((total, each) => total + each, 0)
        expect([tier.stats.bytes, tier.stats.entries]).toEqual([sum, bytes.size])
        expect(sum).toBeLessThanOrEqual(100)
      }
    }),
  )
})
