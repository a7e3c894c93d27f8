import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { decodedStreamsMax, decodedStreamsOfClientMax } from '#site/limits.ts'
import { eventually } from '#tests/support/eventually.ts'
import { DecodedLengthError } from './decode.ts'
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
