import { beforeEach, describe, expect, test } from 'bun:test'
import { brotliDecompressSync, gunzipSync, gzipSync, zstdDecompressSync } from 'node:zlib'
import type { MadeCoding } from '#http/compress.ts'
import { recordingLog } from '#tests/support/api.ts'
import { Bodies } from './bodies.ts'
import { Recompressor } from './recompressor.ts'

const text = 'words and words, and more words of them. '.repeat(100)
let stored: Map<string, Blob>
let reads: string[]
let logged: NonNullable<Parameters<typeof recordingLog>[0]>
let bodies: Bodies
let recompressor: Recompressor
beforeEach(() => {
  stored = new Map()
  reads = []
  logged = []
  const open = async (hash: string): Promise<Blob | null> => {
    reads.push(hash)
    return stored.get(hash) ?? null
  }
  bodies = new Bodies({ blobs: { open }, bytesMax: 1_000_000 })
  recompressor = new Recompressor({ bodies, log: recordingLog(logged) })
})

function put(
  hash: string,
  bytes: Uint8Array<ArrayBuffer>,
  coding: 'gzip' | 'identity' = 'identity',
) {
  const kept = coding === 'gzip' ? gzipSync(bytes) : bytes
  stored.set(hash, new Blob([kept]))
  return { hash, coding, storedBytes: kept.length }
}
const bytesOf = (content: string) => new Uint8Array(Buffer.from(content))
const made = async (source: Parameters<typeof bodies.find>[0], coding: MadeCoding) =>
  Buffer.from((await bodies.find(source, coding)?.value?.bytes()) ?? [])

describe('what is removed at its owner’s wish', () => {
  test.each(['one', 'all'] as const)('is not kept when it is made (%s)', async (which) => {
    const source = put('a', bytesOf(text))
    const other = put('b', bytesOf(`${text} and others`))
    recompressor.ask(source, 'br')
    recompressor.ask(other, 'br')
    if (which === 'one') recompressor.forget('a')
    else recompressor.forgetAll()
    await recompressor.idle()
    expect(bodies.find(source, 'br')).toBeUndefined()
    expect(bodies.find(other, 'br') === undefined).toBe(which === 'all')
  })
})

describe('what is made', () => {
  test.each([
    ['identity', 'br', brotliDecompressSync],
    ['gzip', 'br', brotliDecompressSync],
    ['identity', 'zstd', zstdDecompressSync],
    ['gzip', 'zstd', zstdDecompressSync],
  ] as const)('of what is stored as %s is smaller as %s', async (stored, coding, decompress) => {
    const source = put('a', bytesOf(text), stored)
    recompressor.ask(source, coding)
    expect(bodies.find(source, coding)).toBeUndefined()
    await recompressor.idle()
    const smaller = await made(source, coding)
    expect(decompress(smaller).toString()).toBe(text)
    expect(smaller.length).toBeLessThan(source.storedBytes)
  })

  test('is made of the same bytes for each way in which they are stored', async () => {
    const source = put('a', bytesOf(text), 'gzip')
    const asItIs = { ...source, coding: 'identity' } as const
    recompressor.ask(asItIs, 'br')
    recompressor.ask(source, 'br')
    await recompressor.idle()
    expect(await made(asItIs, 'br')).toBeEmpty()
    expect(brotliDecompressSync(await made(source, 'br')).toString()).toBe(text)
    expect(reads).toHaveLength(2)
  })

  test('is gzip of what is stored as it came', async () => {
    const source = put('a', bytesOf(text))
    recompressor.ask(source, 'gzip')
    await recompressor.idle()
    expect(gunzipSync(await made(source, 'gzip')).toString()).toBe(text)
  })

  test('is made once, however many ask', async () => {
    const source = put('a', bytesOf(text))
    for (let i = 0; i < 10; i++) recompressor.ask(source, 'br')
    await recompressor.idle()
    expect(reads).toEqual(['a'])
  })

  test('is made one after the other, of too many the first', async () => {
    const sources = Array.from({ length: 101 }, (_, i) => put(`${i}`, bytesOf(text)))
    for (const source of sources) recompressor.ask(source, 'gzip')
    await recompressor.idle()
    expect(reads).toEqual(sources.slice(0, 100).map(({ hash }) => hash))
    const [last] = sources.slice(-1)
    if (last !== undefined) recompressor.ask(last, 'gzip')
    await recompressor.idle()
    expect(reads).toHaveLength(101)
  })
})

describe('what is not made', () => {
  test('is what would not be smaller, and that is not tried again', async () => {
    const source = put('a', crypto.getRandomValues(new Uint8Array(5000)))
    for (let i = 0; i < 2; i++) {
      recompressor.ask(source, 'br')
      await recompressor.idle()
    }
    expect(bodies.find(source, 'br')).toBeUndefined()
    expect(reads).toEqual(['a'])
  })

  test('is what is not here, until it is', async () => {
    const source = put('a', bytesOf(text))
    const bytes = stored.get('a') ?? new Blob()
    stored.delete('a')
    recompressor.ask(source, 'br')
    await recompressor.idle()
    stored.set('a', bytes)
    recompressor.ask(source, 'br')
    await recompressor.idle()
    expect(bodies.find(source, 'br')).toBeDefined()
  })

  test('is what is damaged, which is logged and holds up nothing else', async () => {
    const damaged = { ...put('a', bytesOf(text)), coding: 'gzip' as const }
    const source = put('b', bytesOf(text))
    recompressor.ask(damaged, 'br')
    recompressor.ask(source, 'br')
    await recompressor.idle()
    expect(logged.map(({ message }) => message)).toEqual(['body not recompressed'])
    expect(bodies.find(source, 'br')).toBeDefined()
  })
})
