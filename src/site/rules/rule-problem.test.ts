import { expect, test } from 'bun:test'
import { ruleProblemsMax } from '#site/limits.ts'
import { RuleProblems } from './rule-problem.ts'

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
