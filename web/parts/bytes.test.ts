import { expect, test } from 'bun:test'
import { formatBytes, formatCount } from './bytes.ts'

const sizes: [number, string][] = [
  [0, '0 bytes'],
  [1, '1 byte'],
  [1023, '1,023 bytes'],
  [1024, '1 kB'],
  [1484, '1.4 kB'],
  [102_297, '99.9 kB'],
  [123_456, '121 kB'],
  [1024 * 1023, '1,023 kB'],
  [1024 * 1024 - 1, '1 MB'],
  [1024 * 1024, '1 MB'],
  [300 * 1024 * 1024, '300 MB'],
  [1024 ** 3, '1 GB'],
  [5000 * 1024 ** 3, '5,000 GB'],
]

test.each(sizes)('%d bytes read %j', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('counts carry their noun', () => {
  expect(formatCount(0, 'file')).toBe('0 files')
  expect(formatCount(1, 'file')).toBe('1 file')
  expect(formatCount(1200, 'file')).toBe('1,200 files')
})
