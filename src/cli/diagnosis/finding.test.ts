import { expect, test } from 'bun:test'
import { findingLines, ok, problem } from './finding.ts'

const findings = [
  ok('clock', 'at most 1 s off'),
  problem(
    'DNS',
    'blog.example.com leads nowhere',
    'add the CNAME or A record that your Sitehost shows',
  ),
]

test('for a program each finding is a line, and what to do another one', () => {
  expect(findingLines(findings)).toEqual([
    'ok       clock          at most 1 s off',
    'problem  DNS            blog.example.com leads nowhere',
    '                        → add the CNAME or A record that your Sitehost shows',
  ])
})

test('in a terminal lines are broken between words', () => {
  expect(findingLines(findings, 70).slice(2)).toEqual([
    '                        → add the CNAME or A record that your Sitehost',
    '                          shows',
  ])
})

test('in a narrow one what was seen is below what was looked at', () => {
  expect(findingLines(findings, 40)).toEqual([
    'ok       clock',
    '  at most 1 s off',
    'problem  DNS',
    '  blog.example.com leads nowhere',
    '  → add the CNAME or A record that your',
    '    Sitehost shows',
  ])
})
