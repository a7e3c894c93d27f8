import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { exceedsUtf8Bytes, utf8AsLatin1, utf8Bytes } from './utf8.ts'

const texts = fc.string({ unit: fc.oneof(fc.nat(0xffff).map((code) => String.fromCharCode(code))) })

test('a string has as many bytes as Node counts, lone surrogates included', () => {
  fc.assert(fc.property(texts, (text) => utf8Bytes(text) === Buffer.byteLength(text)))
  expect(utf8Bytes('aé€😀\ud800')).toBe(1 + 2 + 3 + 4 + 3)
})

test('a string is longer than a limit by its bytes, not by its units', () => {
  const limits = fc.nat(30)
  fc.assert(
    fc.property(texts, limits, (text, limit) => {
      expect(exceedsUtf8Bytes(text, limit)).toBe(Buffer.byteLength(text) > limit)
    }),
  )
})

test('each byte becomes a character', () => {
  fc.assert(
    fc.property(texts, (text) => utf8AsLatin1(text) === Buffer.from(text).toString('latin1')),
  )
  const long = 'é'.repeat(20_000)
  expect(utf8AsLatin1(long)).toBe(Buffer.from(long).toString('latin1'))
})
