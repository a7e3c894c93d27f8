import { beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { Bodies, type BodySource, BodyTooLargeError } from './bodies.ts'

const mebibyte = 1024 * 1024
const plain: BodySource = { hash: 'a', coding: 'identity' }
const coded: BodySource = { hash: 'b', coding: 'gzip' }
let stored: Map<string, Blob>
let reads: string[]
beforeEach(() => {
  stored = new Map([
    ['a', new Blob(['plain'])],
    ['b', new Blob([gzipSync('coded')])],
  ])
  reads = []
})

function open(bytesMax = 1000): Bodies {
  const read = async (hash: string): Promise<Blob | null> => {
    reads.push(hash)
    return stored.get(hash) ?? null
  }
  return new Bodies({ blobs: { open: read }, bytesMax })
}

describe('a body', () => {
  test.each([
    ['as it is stored', plain, 'identity', 'plain'],
    ['decoded', coded, 'identity', 'coded'],
    ['in the coding that it is stored in', coded, 'gzip', gzipSync('coded').toString('latin1')],
  ] as const)('is had %s, from memory the next time', async (_, source, coding, expected) => {
    const bodies = open()
    const body = await bodies.load(source, coding)
    expect(Buffer.from((await body?.bytes()) ?? []).toString('latin1')).toBe(expected)
    expect(bodies.use(bodies.find(source, coding))).toBe(body)
    expect(reads).toEqual([source.hash])
  })

  test('is read once, however many ask', async () => {
    const bodies = open()
    const all = await Promise.all(Array.from({ length: 50 }, () => bodies.load(plain, 'identity')))
    expect(new Set(all).size).toBe(1)
    expect(reads).toEqual(['a'])
  })

  test('is dropped in every coding when its bytes are removed, and is not kept by a read under way', async () => {
    const bodies = open()
    await bodies.load(coded, 'identity')
    bodies.keep(coded, 'br', new Blob(['smaller']))
    await bodies.load(plain, 'identity')
    const reading = bodies.load(coded, 'gzip')
    bodies.forget('b')
    await reading
    const kept = (['identity', 'gzip', 'br', 'zstd'] as const).filter((coding) =>
      bodies.find(coded, coding),
    )
    expect(kept).toEqual([])
    expect(bodies.find(plain, 'identity')).toBeDefined()
  })

  test('that is not there is looked for again', async () => {
    const bodies = open()
    const [bytes] = [stored.get('a')]
    stored.delete('a')
    expect(await bodies.load(plain, 'identity')).toBeNull()
    stored.set('a', bytes ?? new Blob())
    expect(await (await bodies.load(plain, 'identity'))?.text()).toBe('plain')
  })

  test('is kept by how it is stored: the same bytes may be another site’s content as they are', async () => {
    const bodies = open()
    const asItIs: BodySource = { hash: 'b', coding: 'identity' }
    const [one, other] = await Promise.all([
      bodies.load(asItIs, 'identity'),
      bodies.load(coded, 'identity'),
    ])
    expect(Buffer.from((await one?.bytes()) ?? [])).toEqual(gzipSync('coded'))
    expect(await other?.text()).toBe('coded')
    for (const [source, body] of [
      [asItIs, one],
      [coded, other],
    ] as const) {
      expect(bodies.use(bodies.find(source, 'identity'))).toBe(body ?? null)
    }
    bodies.keep(asItIs, 'br', new Blob(['br']))
    expect(bodies.find(coded, 'br')).toBeUndefined()
  })

  test('that memory has no room for is had all the same', async () => {
    const bodies = open(4)
    expect(await (await bodies.load(plain, 'identity'))?.text()).toBe('plain')
    expect(bodies.use(bodies.find(plain, 'identity'))).toBeNull()
  })

  test('is counted by its bytes in the coding that it is kept in', async () => {
    const bodies = open()
    await bodies.load(coded, 'identity')
    await bodies.load(coded, 'gzip')
    bodies.keep(coded, 'br', new Blob(['br']))
    expect(bodies.stats).toMatchObject({
      entries: 3,
      bytes: 'coded'.length + gzipSync('coded').length + 2,
    })
  })
})

describe('more than 1 MiB is not held as a whole', () => {
  test.each([
    ['stored', mebibyte, null],
    ['stored', mebibyte + 1, BodyTooLargeError],
    ['decoded', mebibyte, null],
    ['decoded', mebibyte + 1, RangeError],
  ])('%s, %d bytes', async (form, size, error) => {
    const bytes = new Uint8Array(size)
    stored.set('b', new Blob([form === 'stored' ? bytes : gzipSync(bytes)]))
    const load = open(10 * mebibyte).load(coded, form === 'stored' ? 'gzip' : 'identity')
    if (error === null) expect((await load)?.size).toBe(size)
    else await expect(load).rejects.toThrow(error)
  })

  test('but can be opened', async () => {
    stored.set('a', new Blob([new Uint8Array(mebibyte + 1)]))
    expect((await open().open(plain))?.size).toBe(mebibyte + 1)
  })
})
