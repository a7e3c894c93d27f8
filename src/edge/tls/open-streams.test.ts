import { expect, test } from 'bun:test'
import { flags, frame, types } from '#tests/support/visitors/http2-frames.ts'
import { OpenStreams, StreamCounts } from './open-streams.ts'

const { endHeaders, endStream } = flags

test('a stream is open until its answer ends, one side resets it, or the connection closes', () => {
  const counts = new StreamCounts()
  const streams = new OpenStreams(counts, '192.0.2.1')
  const opened = () => counts.total
  for (const stream of [1, 3, 5, 7, 9]) streams.onBlock(stream)
  expect(opened()).toBe(5)
  streams.readAnswers(frame(types.headers, endHeaders | endStream, 1, 'x'))
  expect(opened()).toBe(4)
  streams.readAnswers(frame(types.headers, endHeaders, 3, 'x'))
  streams.readAnswers(frame(types.data, 0, 3, 'x'))
  // The same bit of others means something else.
  streams.readAnswers(frame(types.ping, endStream, 3, '12345678'))
  expect(opened()).toBe(4)
  streams.readAnswers(frame(types.data, endStream, 3, 'x'))
  expect(opened()).toBe(3)
  streams.readAnswers(frame(types.reset, 0, 5, [0, 0, 0, 8]))
  expect(opened()).toBe(2)
  streams.onEnd(7)
  streams.onEnd(7)
  expect(opened()).toBe(1)
  // Trailers of one that has ended open none.
  streams.onBlock(7)
  streams.onBlock(9)
  expect(opened()).toBe(1)
  streams.close()
  streams.onEnd(9)
  expect(opened()).toBe(0)
})

test('a network has its share, and all together have theirs; a front counts only among all', () => {
  const counts = new StreamCounts({ max: 5, perNetworkMax: 2 })
  const open = (network: string | null, count: number) => {
    const streams = new OpenStreams(counts, network)
    for (let index = 0; index < count; index++) streams.onBlock(2 * index + 1)
    return streams
  }
  const crowded = () => ['a', 'b', null].map((network) => counts.isCrowded(network))
  const first = open('a', 2)
  expect(crowded()).toEqual([false, false, false])
  const second = open('a', 1)
  expect(crowded()).toEqual([true, false, false])
  // Of one network no more than its share counts among all.
  const many = open('a', 100)
  expect([counts.total, ...crowded()]).toEqual([103, true, false, false])
  const front = open(null, 3)
  expect(crowded()).toEqual([true, false, false])
  front.onBlock(99)
  expect(crowded()).toEqual([true, true, true])
  for (const streams of [first, second, many]) streams.close()
  expect([counts.total, ...crowded()]).toEqual([4, false, false, false])
  front.close()
  expect(counts.total).toBe(0)
})
