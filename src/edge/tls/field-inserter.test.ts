import { expect, test } from 'bun:test'
import { flags, frame, preface, types } from '#tests/support/visitors/http2-frames.ts'
import { blocksPerChunkMax, FieldInserter, idleFramesMax } from './field-inserter.ts'

const { continuation, data, headers, ping, settings } = types
const { endHeaders, endStream, padded, priority } = flags

const field = [0x10, 2, ...Buffer.from('id'), 3, ...Buffer.from('abc')]
const fieldFor = (stream: number) => frame(continuation, endHeaders, stream, field)
const same = (bytes: Buffer) => [bytes, bytes]

/** What a client sends, and what the server is to get. */
const sent: readonly (readonly Buffer[])[] = [
  same(preface),
  same(frame(settings, 0, 0, [0, 1, 0, 0, 16, 0])),
  [
    frame(headers, endHeaders | endStream, 1, 'block'),
    Buffer.concat([frame(headers, endStream, 1, 'block'), fieldFor(1)]),
  ],
  // A field block of several frames: after the last.
  same(frame(headers, endStream, 0x01020305, 'first')),
  same(frame(continuation, 0, 0x01020305, 'second')),
  [
    frame(continuation, endHeaders, 0x01020305, 'third'),
    Buffer.concat([frame(continuation, 0, 0x01020305, 'third'), fieldFor(0x01020305)]),
  ],
  // Padding belongs to its frame.
  [
    frame(headers, endHeaders | padded | priority, 5, '\x02.....block\0\0'),
    Buffer.concat([frame(headers, padded | priority, 5, '\x02.....block\0\0'), fieldFor(5)]),
  ],
  // What looks like a frame within another, and the same flag of other types.
  same(frame(data, 0, 5, [...frame(headers, endHeaders, 7, 'x')])),
  same(frame(ping, endHeaders, 0, '12345678')),
  // Trailers.
  [
    frame(headers, endHeaders | endStream, 5, ''),
    Buffer.concat([frame(headers, endStream, 5, ''), fieldFor(5)]),
  ],
  same(frame(data, 0, 9, '')),
]
const input = Buffer.concat(sent.map(([bytes]) => bytes as Buffer))
const expected = Buffer.concat(sent.map(([, bytes]) => bytes as Buffer))

test('each field block gets the field, however its bytes come', () => {
  for (let size = 1; size <= input.length; size++) {
    const inserter = new FieldInserter('id', 'abc')
    const received: Uint8Array[] = []
    for (let at = 0; at < input.length; at += size) {
      const bytes = inserter.insert(Buffer.from(input.subarray(at, at + size)))
      received.push(bytes ?? Buffer.from('ended'))
    }
    expect(Buffer.concat(received).toString('hex')).toBe(expected.toString('hex'))
  }
})

test('of a chunk that ends within the header of a frame, only that header is kept', () => {
  const chunkBytes = 1_000_000
  const payload = Array.from<number>({ length: chunkBytes }).fill(0)
  const chunk = [preface, frame(data, 0, 1, payload), frame(data, 0, 1).subarray(0, 3)]
  Bun.gc(true)
  const before = process.memoryUsage().arrayBuffers
  const inserters = Array.from({ length: 50 }, () => {
    const inserter = new FieldInserter('id', 'abc')
    inserter.insert(Buffer.concat(chunk))
    return inserter
  })
  Bun.gc(true)
  const taken = process.memoryUsage().arrayBuffers - before
  expect(taken).toBeLessThan((inserters.length * chunkBytes) / 2)
  // What they have kept are headers.
  const rest = frame(data, 0, 1).subarray(3)
  for (const inserter of inserters) expect(inserter.insert(rest)).toHaveLength(9)
})

test('bytes that come together and have no field block are not copied', () => {
  const inserter = new FieldInserter('id', 'abc')
  inserter.insert(Buffer.from(preface))
  const bytes = frame(data, 0, 1, 'x')
  expect(inserter.insert(bytes)).toBe(bytes)
})

test('a chunk may have as many blocks as a client has streams, several times over, and no more', () => {
  const chunkOf = (count: number) =>
    Buffer.concat([preface, ...Array.from({ length: count }, () => frame(headers, endHeaders, 1))])
  const insertIn = (count: number) => new FieldInserter('id', 'abc').insert(chunkOf(count))
  expect(insertIn(blocksPerChunkMax)?.length).toBeGreaterThan(blocksPerChunkMax * 9)
  expect(insertIn(blocksPerChunkMax + 1)).toBeNull()
})

const idleFrames: [what: string, bytes: Buffer][] = [
  ['empty DATA', frame(data, 0, 1)],
  ['pings', frame(ping, 0, 0, '12345678')],
  ['settings', frame(settings, 0, 0)],
  ['priorities', frame(2, 0, 1, [0, 0, 0, 0, 0])],
  ['unknown ones', frame(77, 0, 1)],
]
test.each(idleFrames)(
  'frames that carry nothing end a connection when there are very many: %s',
  (_, bytes) => {
    const request = frame(headers, endHeaders, 1)
    const many = Buffer.concat(Array.from({ length: idleFramesMax }, () => bytes))
    const inserter = new FieldInserter('id', 'abc')
    expect(inserter.insert(Buffer.concat([preface, many]))).not.toBeNull()
    // A request begins a new count.
    expect(inserter.insert(Buffer.from(request))).not.toBeNull()
    expect(inserter.insert(Buffer.from(many))).not.toBeNull()
    expect(inserter.insert(Buffer.from(bytes))).toBeNull()
  },
)

test('what a transfer needs does not count: bodies and windows', () => {
  const inserter = new FieldInserter('id', 'abc')
  const both = [frame(data, 0, 1, 'x'), frame(8, 0, 0, [0, 0, 1, 0])]
  const many = Array.from({ length: idleFramesMax }, () => both).flat()
  expect(inserter.insert(Buffer.concat([preface, ...many]))).not.toBeNull()
  expect(inserter.insert(frame(data, 0, 1, 'x'))).not.toBeNull()
})

test.each([
  ['DATA', frame(data, 0, 1, 'x')],
  ['resets', frame(3, 0, 1, [0, 0, 0, 8])],
  ['windows', frame(8, 0, 1, [0, 0, 1, 0])],
])('frames of streams that are not open change nothing, either: %s', (_, bytes) => {
  const many = Buffer.concat(Array.from({ length: idleFramesMax + 1 }, () => bytes))
  const afterMany = (isOpen: boolean) => {
    const streams = { isOpen: () => isOpen, onBlock: () => undefined, onEnd: () => undefined }
    const inserter = new FieldInserter('id', 'abc', streams)
    inserter.insert(Buffer.concat([preface, many]))
    return inserter.insert(Buffer.from(bytes))
  }
  expect(afterMany(true)).toEqual(bytes)
  expect(afterMany(false)).toBeNull()
})

test('blocks and resets are reported, by their stream', () => {
  const seen: string[] = []
  const inserter = new FieldInserter('id', 'abc', {
    isOpen: () => true,
    onBlock: (stream) => seen.push(`block ${stream}`),
    onEnd: (stream) => seen.push(`end ${stream}`),
  })
  for (const bytes of [
    preface,
    frame(headers, 0, 1, 'x'),
    frame(continuation, endHeaders, 1),
    frame(headers, endHeaders | endStream, 0x80000003),
    frame(3, 0, 1, [0, 0, 0, 8]),
  ])
    inserter.insert(Buffer.from(bytes))
  expect(seen).toEqual(['block 1', 'block 3', 'end 1'])
})

test('names and values of up to 126 bytes fit a frame, and longer ones are rejected', () => {
  const [name, value] = ['n'.repeat(126), 'v'.repeat(126)]
  const inserter = new FieldInserter(name, value)
  const sent = inserter.insert(Buffer.concat([preface, frame(headers, endHeaders, 1)]))
  const payload = [0x10, 126, ...Buffer.from(name), 126, ...Buffer.from(value)]
  const added = frame(continuation, endHeaders, 1, payload)
  expect(
    Buffer.from(sent ?? [])
      .subarray(preface.length + 9)
      .toString('hex'),
  ).toBe(added.toString('hex'))
  expect(() => new FieldInserter('id', 'a'.repeat(127))).toThrow(RangeError)
  expect(() => new FieldInserter('a'.repeat(127), 'abc')).toThrow(RangeError)
})
