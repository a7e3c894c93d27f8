import { describe, expect, test } from 'bun:test'
import { constants, crc32, createDeflateRaw, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { gzipHeaderBytesMax } from '#ingest/blobs/gzip-header.ts'
import { gunzipAlong } from '#ingest/blobs/gzip-member.ts'
import { UndecodableBlobError } from '#ingest/blobs/undecodable-blob.ts'
import { gzipTrailer, hollowGzip } from '#tests/support/servers/hollow-gzip.ts'

/** The content, when `raw` is one gzip member and was passed on as it is; null when it is refused. */
async function contentOf(raw: Uint8Array, cuts: readonly number[] = []): Promise<string | null> {
  const content: Uint8Array[] = []
  const passed: Uint8Array[] = []
  try {
    const chunks = gunzipAlong(piecesOf(raw, cuts), (chunk) => content.push(new Uint8Array(chunk)))
    for await (const chunk of chunks) passed.push(chunk)
  } catch (error) {
    expect(error).toBeInstanceOf(UndecodableBlobError)
    return null
  }
  expect(Buffer.concat(passed).equals(raw)).toBe(true)
  return Buffer.concat(content).toString()
}

async function* piecesOf(raw: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const ends = [...cuts.map((cut) => cut % (raw.length + 1)).sort((a, b) => a - b), raw.length]
  let at = 0
  for (const end of ends) {
    yield raw.subarray(at, end)
    at = end
  }
}

/** What zlib makes of it; it takes several members too. */
function byZlib(raw: Uint8Array): string | null {
  try {
    return gunzipSync(raw).toString()
  } catch {
    return null
  }
}

interface Extras {
  readonly extra?: Uint8Array
  readonly name?: string
  readonly comment?: string
  readonly hasCrc?: boolean
}

/** A member with whatever RFC 1952 §2.3 allows in its header. */
function memberOf(content: string, { extra, name, comment, hasCrc = false }: Extras): Buffer {
  const flags =
    (hasCrc ? 2 : 0) |
    (extra === undefined ? 0 : 4) |
    (name === undefined ? 0 : 8) |
    (comment === undefined ? 0 : 16)
  const header = Buffer.concat([
    Buffer.from([0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3]),
    extra === undefined ? Buffer.alloc(0) : Buffer.concat([uint16(extra.length), extra]),
    Buffer.from(name === undefined ? '' : `${name}\0`, 'latin1'),
    Buffer.from(comment === undefined ? '' : `${comment}\0`, 'latin1'),
  ])
  const crc = hasCrc ? uint16(crc32(header) & 0xffff) : Buffer.alloc(0)
  return Buffer.concat([header, crc, deflateRawSync(content), gzipTrailer(content)])
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}

const latin = fc.stringMatching(/^[ -~]{0,20}$/)
const extras = fc.record(
  {
    extra: fc.uint8Array({ maxLength: 300 }),
    name: latin,
    comment: latin,
    hasCrc: fc.boolean(),
  },
  { requiredKeys: [] },
)
const cuts = fc.array(fc.nat(), { maxLength: 8 })

describe('one member is read as zlib reads it, however it comes', () => {
  test('whatever its header holds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ maxLength: 500 }), extras, cuts, async (text, fields, at) => {
        const raw = memberOf(text, fields)
        expect(byZlib(raw)).toBe(text)
        expect(await contentOf(raw, at)).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  test('whatever the compressor did, in pieces of any size', async () => {
    const text = Array.from({ length: 40_000 }, (_, i) => `${i * i} `).join('')
    for (const level of [0, 1, 9] as const) {
      for (const pieces of [1, 2, 77, 1000]) {
        const raw = gzipSync(text, { level })
        const at = Array.from({ length: pieces - 1 }, (_, i) =>
          Math.floor((i * raw.length) / pieces),
        )
        expect((await contentOf(raw, at)) === text).toBe(true)
      }
    }
  })

  test('with any byte changed', async () => {
    const raw = memberOf('<h1>hello</h1>'.repeat(3), {
      extra: Buffer.from('x'),
      name: 'a',
      hasCrc: true,
    })
    for (let at = 0; at < raw.length; at++) {
      for (const bit of [1, 4, 32, 128]) {
        const changed = Buffer.from(raw)
        changed[at] = (raw[at] ?? 0) ^ bit
        expect([at, await contentOf(changed, [at])]).toEqual([at, byZlib(changed)])
      }
    }
  })

  test('never when it breaks off', async () => {
    const raw = memberOf('hello', { comment: 'c', hasCrc: true })
    for (let end = 0; end < raw.length; end++)
      expect(await contentOf(raw.subarray(0, end))).toBeNull()
  })
})

describe('what follows the member is refused, however it is cut', () => {
  const raw = gzipSync('hello')
  const behind: [string, Uint8Array][] = [
    ['a byte', Buffer.from('x')],
    ['a zero', Buffer.alloc(1)],
    ['another trailer', raw.subarray(-8)],
    ['another member', gzipSync('more')],
    ['an empty member', gzipSync('')],
    ['a header', raw.subarray(0, 10)],
    ['1 MB', Buffer.alloc(1_000_000, 'x')],
  ]
  test.each(behind)('%s', async (_, rest) => {
    const both = Buffer.concat([raw, rest])
    for (let at = raw.length - 10; at <= raw.length; at++) {
      expect(await contentOf(both, [at])).toBeNull()
      expect(await contentOf(both, [at, raw.length])).toBeNull()
    }
  })

  test('at once: the source is not read to its end', async () => {
    let reads = 0
    async function* endless() {
      yield raw
      for (; reads < 1000; reads++) yield Buffer.alloc(16_384)
    }
    const reading = Array.fromAsync(gunzipAlong(endless(), () => {}))
    await expect(reading).rejects.toBeInstanceOf(UndecodableBlobError)
    expect(reads).toBeLessThan(100)
  })
})

test('a header has a limit', async () => {
  const longest = 'n'.repeat(gzipHeaderBytesMax - 11)
  expect(await contentOf(memberOf('hello', { name: longest }), [5])).toBe('hello')
  expect(await contentOf(memberOf('hello', { name: `${longest}n` }), [5])).toBeNull()
})

describe('gzip may be twice as large as its content and 64 KiB', () => {
  test.each([0, 1, 1_000, 100_000, 1_000_000])('of %i bytes, and no larger', async (bytes) => {
    const content = 'x'.repeat(bytes)
    const headerBytes = 10
    const leftBytes = 2 * bytes + 65_536 + headerBytes - hollowGzip(content, 0).length
    const most = hollowGzip(content, leftBytes - (leftBytes % 5))
    expect((await contentOf(most)) === content).toBe(true)
    expect((await contentOf(hollowGzip(content, leftBytes + 1))) === null).toBe(true)
  })

  test('as a compressor never makes it, however small its blocks', async () => {
    const content = crypto.getRandomValues(Buffer.alloc(1_000_000))
    const deflate = createDeflateRaw()
    const blocks: Buffer[] = []
    deflate.on('data', (block) => blocks.push(block))
    for (let at = 0; at < content.length; at += 500) {
      deflate.write(content.subarray(at, at + 500))
      await new Promise<void>((resolve) => deflate.flush(constants.Z_FULL_FLUSH, resolve))
    }
    await new Promise<void>((resolve) => deflate.once('end', resolve).end())
    const raw = Buffer.concat([hollowGzip('', 0).subarray(0, 10), ...blocks, gzipTrailer(content)])
    expect(gunzipSync(raw).equals(content)).toBe(true)
    const inflated: number[] = []
    const cuts = [1, 100_000, 900_000]
    const chunks = gunzipAlong(piecesOf(raw, cuts), (chunk) => inflated.push(chunk.length))
    for await (const _ of chunks);
    expect(inflated.reduce((sum, bytes) => sum + bytes)).toBe(content.length)
  })
})

test('reserved flags are refused, as zlib does', async () => {
  for (const bit of [32, 64, 128]) {
    const raw = gzipSync('hello')
    raw[3] = bit
    expect(byZlib(raw)).toBeNull()
    expect(await contentOf(raw)).toBeNull()
  }
})
