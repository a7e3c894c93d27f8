import { describe, expect, test } from 'bun:test'
import { encode } from '@atcute/cbor'
import { cpuMs } from '#tests/support/processes/cpu-ms.ts'
import { CborError, cborDepthMax, cborValuesMax, decodeCbor, endOfCbor } from './bounded-cbor.ts'

/** Lists in lists, each said to have this many elements, and bytes for the innermost only. */
function claiming(elements: number, depth: number): Uint8Array {
  const head = Buffer.from([0x9a, 0, 0, 0, 0])
  head.writeUInt32BE(elements, 1)
  const heads = Array.from({ length: depth }, () => head)
  return new Uint8Array(Buffer.concat([...heads, Buffer.alloc(elements)]))
}

/** So many lists in one another, and one without anything in the last of them. */
const nested = (depth: number): Uint8Array => new Uint8Array([...Buffer.alloc(depth, 0x81), 0x80])

const refusal = (bytes: Uint8Array): CborError => {
  try {
    decodeCbor(bytes)
  } catch (error) {
    if (error instanceof CborError) return error
    throw error
  }
  throw new Error('it was decoded')
}

describe('accepts', () => {
  test.each([
    ['whole numbers', [0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32, 2 ** 53 - 1, -1, -500]],
    ['text and nothing', ['', 'é', 'x'.repeat(300), null, true, false]],
    ['fields', { a: { b: [{ c: [] }] }, z: {} }],
    ['as many values as are read', Array.from({ length: cborValuesMax - 1 }, () => 0)],
  ])('%s', (_, value) => expect(decodeCbor(encode(value))).toEqual(value))

  test('lists in one another, as deep as is read', () => {
    expect(decodeCbor(nested(cborDepthMax - 1))).toBeArrayOfSize(1)
  })
})

test('the first of several values ends where it ends', () => {
  const first = encode({ op: 1, t: '#commit' })
  expect(endOfCbor(new Uint8Array([...first, 0xff, 0xff]))).toBe(first.length)
})

describe('rejects', () => {
  test.each([
    ['nothing', []],
    ['half a number', [0x19, 1]],
    ['half a string', [0x62, 0x61]],
    [
      'a string with a claimed length beyond all limits',
      [0x7b, 255, 255, 255, 255, 255, 255, 255, 255],
    ],
    ['a list of unknown length', [0x9f, 0xff]],
    ['a list without its last element', [0x82, 0]],
    ['a map without its last value', [0xa1, 0x61, 0x61]],
    ['two values', [0, 0]],
    ['a tag of nothing', [0xd8, 42]],
    ['NaN', [0xfb, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0]],
  ])('%s', (_, bytes) => expect(refusal(new Uint8Array(bytes)).limit).toBeNull())

  test.each([[cborDepthMax], [100_000]])('%d lists in one another and one more', (depth) => {
    const deep = nested(depth)
    expect(cpuMs(() => expect(refusal(deep).limit).toBe('depth'))).toBeLessThan(5)
  })

  test('one value too many', () => {
    const many = encode(Array.from({ length: cborValuesMax }, () => 0))
    expect(refusal(many).limit).toBe('values')
  })

  test.each([
    [99_999, 5],
    [99_999, 5000],
    [1_000_000, 9000],
  ])('lists said to have %d elements, %d in one another, in no time', (elements, depth) => {
    const bytes = claiming(elements, depth)
    expect(cpuMs(() => expect(refusal(bytes).limit).toBeNull())).toBeLessThan(50)
  })
})
