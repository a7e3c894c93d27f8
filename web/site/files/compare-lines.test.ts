import { expect, test } from 'bun:test'
import { compareLines } from './compare-lines.ts'

const signs = { same: ' ', removed: '-', added: '+' }
const drawn = (from: string, to: string) =>
  compareLines(from, to).map(({ kind, text }) => signs[kind] + text)

test('lines that are alike stay, the others are removed and added', () => {
  expect(drawn('a\nb\nc', 'a\nX\nc')).toEqual([' a', '-b', '+X', ' c'])
  expect(drawn('a\nb\nc\nd\ne', 'X\nb\nY\nd')).toEqual(['-a', '+X', ' b', '-c', '+Y', ' d', '-e'])
  expect(drawn('a', 'a\nb')).toEqual([' a', '+b'])
  expect(drawn('a', 'a')).toEqual([' a'])
})

test('long texts without likeness are replaced whole', () => {
  const many = (mark: string) => Array.from({ length: 3000 }, (_, n) => mark + n).join('\n')
  const compared = compareLines(many('a'), many('b'))
  expect(compared).toHaveLength(6000)
  expect(compared[2999]?.kind).toBe('removed')
})
