import { expect, test } from 'bun:test'
import { ruleFileBytesMax, ruleProblemsMax } from '#site/limits.ts'
import { runAtOnce } from '#site/steps.ts'
import { RuleProblems, readRuleLines } from './rule-lines.ts'

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

function listed(lines: readonly number[]) {
  const problems = new RuleProblems()
  for (const line of lines) problems.add(line, 'bad')
  return problems.list()
}
const full = Array.from({ length: ruleProblemsMax }, (_, i) => i + 1)
const bad = full.map((line) => ({ line, message: 'bad' }))

test.each<[string, readonly number[]]>([
  ['in the order of their lines', full],
  ['backwards', full.toReversed()],
])('as many problems as the limit come in the order of their lines, added %s', (_, lines) => {
  expect(listed(lines)).toEqual(bad)
})

test.each<[string, readonly number[]]>([
  ['last', [...full, 500, 501]],
  ['first', [501, 500, ...full]],
  ['in between', [...full.slice(50), 501, ...full.slice(0, 50), 500]],
])('of more only the number and the first line are told, added %s', (_, lines) => {
  expect(listed(lines)).toEqual([
    ...bad,
    { line: 500, message: '2 more problems from this line on' },
  ])
})

test('problems of one line stay in the order in which they were added', () => {
  const problems = new RuleProblems()
  problems.add(2, 'a')
  problems.add(1, 'b')
  problems.add(2, 'c')
  expect(problems.list().map(({ message }) => message)).toEqual(['b', 'a', 'c'])
})
