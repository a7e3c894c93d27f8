import { beforeEach, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { DecodedLengthError } from '#blobs/decode.ts'
import { decodedStreamsMax, decodedStreamsOfClientMax } from '#site/limits.ts'
import { eventually } from '#tests/support/eventually.ts'
import { DecodedStreams, SlowReaderError } from './decoded-streams.ts'

const content = 'all the same '.repeat(100_000)
const bytes = content.length
const stored = new Blob([gzipSync(content)])
const readAll = (opened: ReadableStream<Uint8Array> | 'busy'): Promise<string> =>
  new Response(opened === 'busy' ? null : opened).text()
/** As many as there may be, begun and not read on. */
const fill = (streams: DecodedStreams) =>
  Array.from(
    { length: decodedStreamsMax },
    (_, i) => streams.open(stored, bytes, `client ${i}`) as ReadableStream<Uint8Array>,
  )
const alice = '192.0.2.1'

test('what is stored is decoded as it is read, more than once', async () => {
  const streams = new DecodedStreams()
  const both = [streams.open(stored, bytes, alice), streams.open(stored, bytes, alice)]
  expect(await Promise.all(both.map(readAll))).toEqual([content, content])
})

test.each([
  ['one byte more than was said', stored, bytes - 1, DecodedLengthError],
  ['one byte less', stored, bytes + 1, DecodedLengthError],
  ['no gzip', new Blob(['no gzip']), bytes, Error],
])('%s: reading it fails', async (_, damaged, said, error) => {
  await expect(readAll(new DecodedStreams().open(damaged, said, alice))).rejects.toThrow(error)
})

describe('of more than 32 at a time', () => {
  const ways: [string, (stream: ReadableStream<Uint8Array>) => Promise<unknown>][] = [
    ['one was read', readAll],
    ['one was given up', (stream) => stream.cancel()],
  ]
  test.each(ways)('there are none, until %s', async (_, finish) => {
    const streams = new DecodedStreams()
    const [first, ...others] = fill(streams)
    expect(streams.open(stored, bytes, alice)).toBe('busy')
    if (first !== undefined) await finish(first)
    const again = streams.open(stored, bytes, alice)
    expect(await readAll(again)).toBe(content)
    for (const stream of others) await stream.cancel()
  })

  test('those end that are read too slowly', async () => {
    const streams = new DecodedStreams({ slowestMs: () => 0, checkEveryMs: 1 })
    const [first] = fill(streams)
    await eventually(async () => expect(streams.open(stored, bytes, alice)).not.toBe('busy'))
    await expect(readAll(first ?? 'busy')).rejects.toThrow(SlowReaderError)
  })
})

test('one client has four of them, and others get theirs', async () => {
  const streams = new DecodedStreams()
  const open = () => streams.open(stored, bytes, alice)
  const own = Array.from({ length: decodedStreamsOfClientMax }, open)
  expect(own).not.toContain('busy')
  expect(open()).toBe('busy')
  expect(await readAll(streams.open(stored, bytes, '192.0.2.2'))).toBe(content)
  expect(open()).toBe('busy')
  await readAll(own[0] ?? 'busy')
  expect(await readAll(open())).toBe(content)
})

/** Takes at least this much, and stops. */
async function take(stream: ReadableStream<Uint8Array>, bytesMin: number): Promise<void> {
  const reader = stream.getReader()
  for (let taken = 0; taken < bytesMin; ) taken += (await reader.read()).value?.length ?? bytesMin
  reader.releaseLock()
}

describe('when all are open, and another client asks', () => {
  let now: number
  let streams: DecodedStreams
  beforeEach(() => {
    now = 0
    streams = new DecodedStreams({ now: () => now })
  })
  const openAll = (clients: number) =>
    Array.from(
      { length: decodedStreamsMax },
      (_, i) => streams.open(stored, bytes, `client ${i % clients}`) as ReadableStream<Uint8Array>,
    )
  const isGiven = (client = alice): boolean => streams.open(stored, bytes, client) !== 'busy'
  /** Places in the list of the streams that have ended. */
  const cutOff = async (opened: readonly ReadableStream<Uint8Array>[]) => {
    const taken = await Promise.allSettled(opened.map((stream) => take(stream, 1)))
    return taken.flatMap((result, i) =>
      result.status === 'rejected' && result.reason instanceof SlowReaderError ? [i] : [],
    )
  }

  test('a client that has several loses the slowest, and gets it back from nobody', async () => {
    const opened = openAll(8)
    for (const [i, stream] of opened.entries()) await take(stream, i === 21 ? 1 : 100_000)
    now = 2_999
    expect(isGiven()).toBe(false)
    now = 3_000
    expect(isGiven()).toBe(true)
    expect(isGiven('client 5')).toBe(false)
    expect(await cutOff(opened)).toEqual([21])
  })

  test('clients that have several keep those that are read quickly', async () => {
    for (const stream of openAll(8)) await take(stream, 256 * 1024 * 4)
    now = 4_000
    expect(isGiven()).toBe(false)
    now = 5_000
    expect(isGiven()).toBe(true)
  })

  test('what was taken more than 30 s ago does not count', async () => {
    for (const stream of openAll(8)) await take(stream, 256 * 1024 * 4)
    now = 4_000
    expect(isGiven()).toBe(false)
    now = 30_000
    expect(isGiven()).toBe(true)
  })

  test('nobody takes one from a client that has only one more', () => {
    openAll(16)
    now = 29_999
    expect(isGiven()).toBe(true)
    expect(isGiven()).toBe(false)
  })

  test.each<[string, number, number, boolean]>([
    ['keeps it for 30 s', 0, 29_999, false],
    ['loses it then', 0, 30_000, true],
    ['keeps it if it is read at 8 KiB/s', 8 * 1024 * 30, 30_000, false],
  ])('a client that has only one %s', async (_, takenBytes, ms, isLost) => {
    for (const stream of openAll(decodedStreamsMax)) await take(stream, takenBytes)
    now = ms
    expect(isGiven()).toBe(isLost)
  })

  test('a client that has only one loses it when it takes nothing for 30 s after a good start', async () => {
    for (const stream of openAll(decodedStreamsMax)) await take(stream, 1024 * 1024)
    now = 30_000
    expect(isGiven()).toBe(false)
    now = 60_000
    expect(isGiven()).toBe(true)
  })
})
