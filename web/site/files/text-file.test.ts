import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { editText, lineEndOf, shownText } from './line-ends.ts'
import { decodeText, encodeText } from './text-file.ts'

const bytesOf = (...bytes: number[]) => Uint8Array.from(bytes)
const utf8 = (text: string) => new TextEncoder().encode(text)

describe('a file', () => {
  const rows = [
    ['ASCII', utf8('a\r\nb'), 'utf-8', false],
    ['nothing', bytesOf(), 'utf-8', false],
    ['UTF-8 with its mark', bytesOf(0xef, 0xbb, 0xbf, ...utf8('é🌱')), 'utf-8', true],
    ['UTF-16, little end first', bytesOf(0xff, 0xfe, 0x61, 0, 0x0d, 0), 'utf-16le', true],
    ['UTF-16, big end first', bytesOf(0xfe, 0xff, 0, 0x61), 'utf-16be', true],
    ['an older encoding', bytesOf(0x63, 0x61, 0x66, 0xe9, 0x20, 0x80, 0x81), 'windows-1252', false],
  ] as const
  test.each(rows)('in %s is text, and the same bytes again', (_, bytes, encoding, hasMark) => {
    const file = decodeText(bytes)
    expect(file).toMatchObject({ encoding, hasMark })
    expect(file && encodeText(file)).toEqual(bytes)
  })

  test('that is no text is none', () => {
    expect(decodeText(bytesOf(0x89, 0x50, 0, 0))).toBeNull()
    expect(decodeText(bytesOf(0xff, 0xfe, 0x61))).toBeNull()
  })

  test('has no bytes for what its encoding has no character for', () => {
    const file = { encoding: 'windows-1252', hasMark: false } as const
    expect(encodeText({ ...file, text: 'café €' })).toEqual(
      bytesOf(0x63, 0x61, 0x66, 0xe9, 0x20, 0x80),
    )
    expect(encodeText({ ...file, text: '🌱' })).toBeNull()
  })

  test('whatever its bytes are, is the same bytes again', () => {
    const isKept = (bytes: Uint8Array<ArrayBuffer>) => {
      const file = decodeText(bytes)
      if (file !== null) expect(encodeText(file)).toEqual(bytes)
    }
    fc.assert(fc.property(fc.uint8Array({ maxLength: 20 }), isKept as never))
  })
})

describe('an edit', () => {
  const rows = [
    ['a\r\nb\r\nc', 'a\nX\nc', 'a\r\nX\r\nc'],
    ['a\r\nb', 'a\nb\nc', 'a\r\nb\r\nc'],
    ['a\nb\r\nc\rd', 'a\nb\nc\nd!', 'a\nb\r\nc\rd!'],
    ['a\nb\r\nc\rd', 'X\nb\nc\nd', 'X\nb\r\nc\rd'],
    ['a\r\n', 'a', 'a'],
    ['\r\n\r\n', '\n', '\r\n'],
    ['', 'a\nb', 'a\nb'],
  ] as const
  test.each(rows)('of %j to %j is %j', (text, shown, expected) => {
    expect(editText(text, shown)).toBe(expected)
  })

  test('is what was typed, and none changes nothing', () => {
    const line = fc.array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), { maxLength: 12 })
    const texts = line.map((parts) => parts.join(''))
    const isKept = (text: string, typed: string) => {
      expect(editText(text, shownText(text))).toBe(text)
      expect(shownText(editText(text, shownText(typed)))).toBe(shownText(typed))
    }
    fc.assert(fc.property(texts, texts, isKept))
  })

  test('ends new lines as most others', () => {
    expect(lineEndOf('a\r\nb\r\nc\n')).toBe('\r\n')
    expect(lineEndOf('a\rb')).toBe('\r')
    expect(lineEndOf('a')).toBe('\n')
  })
})
