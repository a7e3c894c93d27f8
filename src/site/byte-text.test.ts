import { expect, test } from 'bun:test'
import { byteText, limitText } from './byte-text.ts'

test.each<[number, string]>([
  [0, '0 B'],
  [999, '999 B'],
  [1000, '1 kB'],
  [1484, '1.5 kB'],
  [999_949, '999.9 kB'],
  [999_950, '1 MB'],
  [104_857_600, '104.9 MB'],
  [300_000_000, '300 MB'],
  [1e9, '1 GB'],
  [5e15, '5,000 TB'],
])('%d bytes read %j', (bytes, text) => expect(byteText(bytes)).toBe(text))

test('a German reads a decimal comma', () => expect(byteText(1_500_000, 'de')).toBe('1,5 MB'))

test.each<[number, string]>([
  [104_857_600, '100 MiB'],
  [314_572_800, '300 MiB'],
  [5 * 1024 ** 3, '5 GiB'],
  [1536 * 1024 ** 2, '1,536 MiB'],
  [100_000_000, '100 MB'],
  [1024 ** 2 + 1, '1 MB'],
  [1024, '1 kB'],
  [0, '0 B'],
])('a limit of %d bytes reads %j', (bytes, text) => expect(limitText(bytes)).toBe(text))
