import { describe, expect, test } from 'bun:test'
import { fromString, toCidLink } from '@atcute/cid'
import { readBlobRef } from './blob-ref.ts'

const rawCid = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const recordCid = 'bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const good = { $type: 'blob', ref: { $link: rawCid }, mimeType: 'text/html', size: 5 } as const

function linked($link: unknown): unknown {
  return { ...good, ref: { $link } }
}

test.each([
  ['some bytes', good],
  ['no bytes', { ...good, size: 0 }],
  ['the most bytes', { ...good, size: 1_000_000_000 }],
  ['an empty media type', { ...good, mimeType: '' }],
])('a blob of %s is read', (_, raw) => {
  expect(readBlobRef(raw)).toEqual({ ok: true, blob: raw })
})

test('the result is plain JSON of the four fields', () => {
  const decoded = { ...good, ref: toCidLink(fromString(rawCid)), more: 1 }
  const read = readBlobRef(decoded)
  expect(JSON.stringify(read)).toBe(JSON.stringify({ ok: true, blob: good }))
  expect(read.ok && Object.getPrototypeOf(read.blob.ref)).toBe(Object.prototype)
})

const refused: [string, unknown][] = [
  ['nothing', undefined],
  ['null', null],
  ['a string', 'blob'],
  ['no $type', { ...good, $type: undefined }],
  ['the legacy form', { cid: rawCid, mimeType: 'text/html' }],
  ['no media type', { ...good, mimeType: undefined }],
  ['no size', { ...good, size: undefined }],
  ['size -1', { ...good, size: -1 }],
  ['size 1.5', { ...good, size: 1.5 }],
  ['size "5"', { ...good, size: '5' }],
  ['size NaN', { ...good, size: Number.NaN }],
  ['size 2^53', { ...good, size: 2 ** 53 }],
  ['one byte too many', { ...good, size: 1_000_000_001 }],
  ['no CID', { ...good, ref: undefined }],
  ['a CID without its link', { ...good, ref: rawCid }],
  ['a CID that is a number', linked(1)],
  ['a CID of dag-cbor, by text', linked(recordCid)],
  ['a CID of dag-cbor, decoded', { ...good, ref: toCidLink(fromString(recordCid)) }],
  ['a CID of sha-512', linked(cidOf(0x13, 64))],
  ['a CID of sha-512, cut to 32 bytes', linked(cidOf(0x13, 32))],
  ['a CID of identity', linked(cidOf(0x00, 32))],
  ['a CID of version 0', linked('QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG')],
  ['a CID with stray characters', linked(rawCid.replace('h', '!'))],
  ['a CID in capital letters', linked(rawCid.toUpperCase())],
  ['a CID with a bit more than its bytes', linked(`${rawCid.slice(0, -1)}v`)],
  ['a CID with more behind it', linked(`${rawCid}a`)],
]

test.each(refused)('a blob with %s is rejected', (_, raw) => {
  expect(readBlobRef(raw).ok).toBe(false)
})

describe('the CIDs of these tests', () => {
  test('differ from a good one by their hash only', () => {
    expect(readBlobRef(linked(cidOf(0x12, 32))).ok).toBe(true)
  })
})

/** A CIDv1 of raw bytes with this kind of hash, in base32. */
function cidOf(hash: number, bytes: number): string {
  const binary = [1, 0x55, hash, bytes, ...Array.from({ length: bytes }, () => 7)]
  const bits = binary.map((byte) => byte.toString(2).padStart(8, '0')).join('')
  const fives = bits.match(/.{1,5}/g) ?? []
  const letters = fives.map((five) => Number.parseInt(five.padEnd(5, '0'), 2))
  return `b${letters.map((value) => 'abcdefghijklmnopqrstuvwxyz234567'[value]).join('')}`
}
