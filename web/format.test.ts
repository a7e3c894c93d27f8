import { expect, test } from 'bun:test'
import { formatBytes, formatCount } from './format.ts'

const sizes: [number, string][] = [
  [0, '0 bytes'],
  [1, '1 byte'],
  [999, '999 bytes'],
  [1000, '1 kB'],
  [1449, '1.4 kB'],
  [99_900, '99.9 kB'],
  [123_456, '123 kB'],
  [999_499, '999 kB'],
  [999_500, '1 MB'],
  [300_000_000, '300 MB'],
  [1_000_000_000, '1 GB'],
  [5_000_000_000_000, '5,000 GB'],
]

test.each(sizes)('%d bytes read %j', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('counts carry their noun', () => {
  expect(formatCount(0, 'file')).toBe('0 files')
  expect(formatCount(1, 'file')).toBe('1 file')
  expect(formatCount(1200, 'file')).toBe('1,200 files')
})
