import { expect, test } from 'bun:test'
import { warnSeldom } from './warn-seldom.ts'

test('of failures within ten seconds one is logged', () => {
  let now = 0
  const lines: unknown[] = []
  const log = { warn: (...line: unknown[]) => void lines.push(line) }
  const warn = warnSeldom(log, 'lost', () => now)
  for (const at of [0, 1, 9_999, 10_000, 19_999]) {
    now = at
    warn(`at ${at}`)
  }
  expect(lines).toEqual([
    ['lost', { error: 'at 0' }],
    ['lost', { error: 'at 10000' }],
  ])
})
