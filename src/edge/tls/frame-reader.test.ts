import { expect, test } from 'bun:test'
import { frame } from '#tests/support/visitors/http2-frames.ts'
import { type FrameHead, FrameReader } from './frame-reader.ts'

test('frames are told apart, however their bytes come', () => {
  const frames = [
    frame(4, 0, 0, [0, 1, 0, 0, 16, 0]),
    frame(1, 5, 1, 'fields'),
    frame(0, 0, 0x01020305, 'x'.repeat(300)),
    frame(0, 1, 0x81020305, ''),
    frame(77, 0xff, 3, [...frame(0, 1, 1, 'not a frame')]),
  ]
  const expected: FrameHead[] = [
    { type: 4, flags: 0, stream: 0, payloadBytes: 6 },
    { type: 1, flags: 5, stream: 1, payloadBytes: 6 },
    { type: 0, flags: 0, stream: 0x01020305, payloadBytes: 300 },
    // Without the reserved bit.
    { type: 0, flags: 1, stream: 0x01020305, payloadBytes: 0 },
    { type: 77, flags: 0xff, stream: 3, payloadBytes: 20 },
  ]
  const bytes = Buffer.concat(frames)
  for (let size = 1; size <= bytes.length; size++) {
    const reader = new FrameReader()
    const heads: FrameHead[] = []
    for (let at = 0; at < bytes.length; at += size) {
      reader.read(bytes.subarray(at, at + size), (head) => heads.push(head))
    }
    expect(heads).toEqual(expected)
  }
})
