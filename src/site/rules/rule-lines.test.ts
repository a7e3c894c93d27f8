import { expect, test } from 'bun:test'
import { ruleFileBytesMax } from '#site/limits.ts'
import { runAtOnce } from '#site/steps.ts'
import { readRuleLines } from './rule-lines.ts'
import { RuleProblems } from './rule-problem.ts'

const lineCharsMax = 2000
const read = (text: string) => {
  const problems = new RuleProblems()
  return {
    lines: runAtOnce(readRuleLines(text, lineCharsMax, problems)),
    problems: problems.list(),
  }
}

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
    lines: ['a', null, 'b'],
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
