import { expect, test } from 'bun:test'
import { NameHashes, nameHasher } from './name-hashes.ts'

const hashOf = nameHasher('a key')

test('names are there once they were added, until they are deleted', () => {
  const hashes = new NameHashes()
  const model = new Set<number>()
  let seed = 1
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return seed % below
  }
  for (let step = 0; step < 40_000; step++) {
    // Few of them, close to each other: shards grow, and searches go over the end.
    const hash = 1 + random(3_000) + random(2) * 2 ** 50
    if (random(3) === 0) expect(hashes.delete(hash)).toBe(model.delete(hash))
    else {
      hashes.add(hash)
      model.add(hash)
    }
    expect(hashes.has(hash)).toBe(model.has(hash))
  }
  for (let hash = 1; hash <= 3_000; hash++) expect(hashes.has(hash)).toBe(model.has(hash))
  expect(hashes.size).toBe(model.size)
})

test('200 000 names take at most 24 bytes each, and nobody else is among them', () => {
  const hashes = new NameHashes()
  const before = process.memoryUsage().arrayBuffers
  for (let n = 0; n < 200_000; n++) hashes.add(hashOf(`site-${n}.example`))
  expect(hashes.size).toBe(200_000)
  Bun.gc(true)
  expect((process.memoryUsage().arrayBuffers - before) / 200_000).toBeLessThan(24)
  for (let n = 0; n < 200_000; n++) {
    if (hashes.has(hashOf(`made-up-${n}.example`))) throw new Error(`made-up-${n}`)
  }
})

test('the same name has another hash in another process', () => {
  expect(nameHasher()('blog')).not.toBe(nameHasher()('blog'))
})
