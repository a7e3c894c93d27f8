import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import type { BlobStore } from '#blobs/blob-store.ts'
import { hollowGzip } from '#tests/support/servers/hollow-gzip.ts'
import { type DecodedBlob, storeDecoded } from './decode-blob.ts'
import { UndecodableBlobError } from './undecodable-blob.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const page = Buffer.from('<h1>page</h1>'.repeat(20))
const zipped = gzipSync(page)
const base64 = (bytes: Uint8Array): Buffer => Buffer.from(Buffer.from(bytes).toString('base64'))

type Form = 'plain' | 'gzip' | 'base64' | 'gzip base64'

/** Stores `raw`, as a store that keeps what was put whole and drops what was not. */
async function store(
  raw: Uint8Array | AsyncIterable<Uint8Array>,
  form: Form,
  decodedBytesMax = 1_000_000,
): Promise<{ decoded: DecodedBlob; stored: Buffer }> {
  const stored: Buffer[] = []
  const put: BlobStore['put'] = async (source) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of source as AsyncIterable<Uint8Array>) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    stored.push(bytes)
    return { hash: sha256(bytes), bytes: bytes.length }
  }
  const decoded = await storeDecoded(
    raw instanceof Uint8Array ? chunksOf(raw, 50) : raw,
    { coding: form.startsWith('gzip') ? 'gzip' : 'identity', base64: form.endsWith('base64') },
    { blobs: { put } as BlobStore, decodedBytesMax },
  )
  expect(stored).toHaveLength(1)
  return { decoded, stored: stored[0] as Buffer }
}

async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const refused = async (raw: Uint8Array, form: Form, bytesMax?: number) =>
  await expect(store(raw, form, bytesMax)).rejects.toBeInstanceOf(UndecodableBlobError)

describe('what is stored is what is served, and both are told', () => {
  const facts: [Form, Uint8Array, Uint8Array][] = [
    ['plain', page, page],
    ['gzip', zipped, zipped],
    ['base64', base64(page), page],
    ['gzip base64', base64(zipped), zipped],
  ]
  for (const [form, raw, expected] of facts) {
    test(form, async () => {
      const { decoded, stored } = await store(raw, form)
      expect(stored.equals(expected)).toBe(true)
      expect(decoded).toEqual({
        hash: sha256(expected),
        storedBytes: expected.length,
        decodedHash: sha256(page),
        decodedBytes: page.length,
      })
    })
  }
  test('nothing at all', async () => {
    for (const form of ['plain', 'base64'] as const) {
      expect((await store(Buffer.alloc(0), form)).decoded).toMatchObject({ decodedBytes: 0 })
    }
    const empty = await store(gzipSync(''), 'gzip')
    expect(empty.decoded).toMatchObject({ decodedBytes: 0, decodedHash: sha256(Buffer.alloc(0)) })
  })
  test('of gzip in gzip, one layer is undone', async () => {
    expect((await store(gzipSync(zipped), 'gzip')).decoded.decodedHash).toBe(sha256(zipped))
  })
})

describe('is not gzip', () => {
  const flipped = Buffer.from(zipped)
  flipped[flipped.length - 6] = (flipped[flipped.length - 6] ?? 0) ^ 1
  const facts: [string, Uint8Array][] = [
    ['other bytes', page],
    ['nothing', Buffer.alloc(0)],
    ['a stream without its last byte', zipped.subarray(0, -1)],
    ['half a stream', zipped.subarray(0, zipped.length / 2)],
    ['only a header', zipped.subarray(0, 10)],
    ['a wrong checksum', flipped],
    ['bytes behind the stream', Buffer.concat([zipped, Buffer.from('x')])],
    ['zeros behind the stream', Buffer.concat([zipped, Buffer.alloc(200)])],
    ['much behind the stream', Buffer.concat([zipped, Buffer.alloc(200_000, 'x')])],
    ['a second member, which browsers do not show', Buffer.concat([zipped, gzipSync('more')])],
    ['an empty second member', Buffer.concat([zipped, gzipSync('')])],
    ['a second member that breaks off', Buffer.concat([zipped, zipped.subarray(0, 12)])],
  ]
  for (const [what, raw] of facts) {
    test(what, () => refused(raw, 'gzip'))
    test(`${what}, as base64`, () => refused(base64(raw), 'gzip base64'))
  }
})

describe('is not base64', () => {
  for (const text of [
    'YQ', // no padding
    'YQ=',
    'YQ===',
    'YQ==YQ==', // padding inside
    'YQ==\n',
    ' YWJj',
    'YW Jj',
    'YWJj\r\n',
    'Y-_j', // the alphabet for URLs
    'YWJ*',
    'YWJé',
    '=',
    '====',
    'A',
    'AAAAA',
    '%3D%3D',
    `${'YWJj'.repeat(20)}\n${'YWJj'.repeat(20)}`,
  ]) {
    test(JSON.stringify(text), () => refused(Buffer.from(text, 'latin1'), 'base64'))
  }
})

test('base64 and gzip survive any cut into chunks', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.integer({ min: 1, max: 9 }),
      async (bytes, size) => {
        const plain = await store(chunksOf(base64(bytes), size), 'base64')
        expect(plain.stored.equals(bytes)).toBe(true)
        const packed = await store(chunksOf(base64(gzipSync(bytes)), size), 'gzip base64')
        expect(packed.decoded.decodedHash).toBe(sha256(bytes))
      },
    ),
    { numRuns: 100 },
  )
})

describe('the limit holds for decoded bytes', () => {
  for (const [form, raw] of [
    ['plain', page],
    ['gzip', zipped],
    ['base64', base64(page)],
    ['gzip base64', base64(zipped)],
  ] as const) {
    test(`${form}: exactly, and one less`, async () => {
      expect((await store(raw, form, page.length)).decoded.decodedBytes).toBe(page.length)
      await refused(raw, form, page.length - 1)
    })
  }
})

describe('gzip of empty blocks', () => {
  const hollow = hollowGzip('', 1_000_000)
  for (const [form, raw] of [
    ['gzip', hollow],
    ['gzip base64', base64(hollow)],
  ] as const) {
    test(`${form} is stopped when it has inflated to nothing for a while`, async () => {
      let readBytes = 0
      async function* counted() {
        for await (const chunk of chunksOf(raw, 16_384)) {
          readBytes += chunk.length
          yield chunk
        }
      }
      await expect(store(counted(), form)).rejects.toThrow(
        new UndecodableBlobError('is gzip that is more than twice as large as its content'),
      )
      expect(readBytes).toBeLessThan(130_000)
    })
  }
})

describe('a source that fails', () => {
  for (const form of ['plain', 'gzip', 'base64', 'gzip base64'] as const) {
    test(`${form}: its error comes through, and nothing stays behind`, async () => {
      const failure = new Error('other content')
      const raw = form.endsWith('base64') ? base64(zipped) : zipped
      async function* failing() {
        yield raw.subarray(0, 32)
        throw failure
      }
      await expect(store(failing(), form)).rejects.toBe(failure)
    })
  }
})

describe('many at one store', () => {
  const drain: BlobStore['put'] = async (source) => {
    for await (const _ of source as AsyncIterable<Uint8Array>);
    return { hash: '', bytes: 0 }
  }
  const decode = (raw: AsyncIterable<Uint8Array>, to: Pick<BlobStore, 'put'>, bytesMax = 1e6) =>
    storeDecoded(
      raw,
      { coding: 'gzip', base64: false },
      { blobs: to as BlobStore, decodedBytesMax: bytesMax },
    )

  test('a source that does not go on keeps no other waiting', async () => {
    const blobs = { put: drain }
    const gate = Promise.withResolvers<void>()
    async function* dripping() {
      yield zipped.subarray(0, 20)
      await gate.promise
      yield zipped.subarray(20)
    }
    const slow = decode(dripping(), blobs)
    expect((await decode(chunksOf(zipped, 50), blobs)).decodedHash).toBe(sha256(page))
    gate.resolve()
    expect((await slow).decodedHash).toBe(sha256(page))
  })

  test('a bomb keeps no other waiting until it ends', async () => {
    const blobs = { put: drain }
    const ended: string[] = []
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024))
    const bombing = decode(chunksOf(bomb, 65_536), blobs, 1e9).then(() => ended.push('bomb'))
    await decode(chunksOf(zipped, 50), blobs).then(() => ended.push('page'))
    await bombing
    expect(ended).toEqual(['page', 'bomb'])
  })
})

test('a store that fails ends the source', async () => {
  let isEnded = false
  async function* endless() {
    try {
      for (;;) yield crypto.getRandomValues(new Uint8Array(1000))
    } finally {
      isEnded = true
    }
  }
  const full = new Error('disk full')
  const put: BlobStore['put'] = async (source) => {
    for await (const _ of source as AsyncIterable<Uint8Array>) throw full
    throw new Error('not reached')
  }
  const storing = storeDecoded(
    endless(),
    { coding: 'identity', base64: false },
    { blobs: { put } as BlobStore, decodedBytesMax: 1e9 },
  )
  await expect(storing).rejects.toBe(full)
  expect(isEnded).toBe(true)
})
