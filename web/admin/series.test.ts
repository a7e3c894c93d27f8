import { expect, test } from 'bun:test'
import { lineText, valueText } from './series.ts'

test('a value has its unit', () => {
  expect(valueText(12.345, 'ms')).toBe('12.3 ms')
  expect(valueText(3 * 1000 ** 3, 'bytes')).toBe('3 GB')
  expect(valueText(null, 's')).toBe('–')
})

test('a line in words: what it says now, and the most it said', () => {
  expect(lineText([1, 8, null, 3], 'a minute')).toEqual({
    now: '3 a minute',
    highest: '8 a minute',
  })
  expect(lineText([0, 0], 's')).toEqual({ now: '0 s', highest: '0 s' })
  expect(lineText([null], 's')).toEqual({ now: '–', highest: '–' })
})
