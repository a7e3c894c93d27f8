import { expect, test } from 'bun:test'
import { ruleFileBytesMax, ruleProblemsMax } from './limits.ts'
import { firstProblems, readRuleLines } from './rule-lines.ts'

const lineCharsMax = 2000
const read = (text: string) => readRuleLines(text, lineCharsMax)

test.each<[string, string[]]>([
  ['', ['']],
  ['a', ['a']],
  ['a\nb\n', ['a', 'b', '']],
  ['\uFEFF a\t\r\n\r\n  b', ['a', '', 'b']],
  ['x'.repeat(lineCharsMax), ['x'.repeat(lineCharsMax)]],
])('%.20j has lines and no problems', (text, lines) => {
  expect(read(text)).toEqual({ lines, problems: [] })
})

test.each<[string, string]>([
  ['x'.repeat(lineCharsMax + 1), 'longer than 2000 characters'],
  ['a\uFFFDb', 'is not UTF-8'],
  ['a\uD800b', 'is not UTF-8'],
])('%.20j is no line', (line, message) => {
  expect(read(`a\n${line}\nb`)).toEqual({
    lines: ['a', '', 'b'],
    problems: [{ line: 2, message }],
  })
})

test('a file of the limit is read whole; of a longer one the lines that fit', () => {
  const full = `${'é'.repeat(511)}\n\n`.repeat(ruleFileBytesMax / 1024)
  expect(Buffer.byteLength(full)).toBe(ruleFileBytesMax)
  expect(read(full)).toMatchObject({ problems: [] })
  const { lines, problems } = read(`${full}é`)
  expect(lines).toEqual(read(full).lines.slice(0, -1))
  expect(problems).toEqual([
    { line: 513, message: 'the file is longer than 262144 bytes; the rest is not read' },
  ])
})

test('problems come in the order of their lines, and no more than the limit', () => {
  const problems = Array.from({ length: ruleProblemsMax }, (_, i) => ({
    line: ruleProblemsMax - i,
    message: 'bad',
  }))
  expect(firstProblems(problems).map(({ line }) => line)).toEqual(
    problems.map(({ line }) => line).toReversed(),
  )
  const all = [...problems, { line: 500, message: 'bad' }, { line: 501, message: 'bad' }]
  expect(firstProblems(all)).toHaveLength(ruleProblemsMax + 1)
  expect(firstProblems(all).at(-1)).toEqual({
    line: 500,
    message: '2 more problems from this line on',
  })
})
