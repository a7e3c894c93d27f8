import { expect, test } from 'bun:test'
import { formatCount } from './bytes.ts'

test('counts carry their noun', () => {
  expect(formatCount(0, 'file')).toBe('0 files')
  expect(formatCount(1, 'file')).toBe('1 file')
  expect(formatCount(1200, 'file')).toBe('1,200 files')
})
