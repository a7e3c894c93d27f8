import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { base64Into } from './base64-into.ts'

test('it is the base64 that Buffer makes, whatever the buffer held before', () => {
  const buffer = new Uint8Array(400)
  const written = (bytes: Uint8Array): string =>
    Buffer.from(base64Into(buffer, bytes)).toString('latin1')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      buffer.fill(1)
      expect(written(bytes)).toBe(Buffer.from(bytes).toString('base64'))
    }),
  )
})
