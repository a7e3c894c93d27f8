import { ruleFileBytesMax, ruleProblemsMax } from './limits.ts'
import type { RuleProblem } from './rule-problem.ts'

/**
 * The lines of a `_redirects` or `_headers`, without spaces at either end; those that are too long or no
 * UTF-8 are empty, and problems. What is beyond the limit of the whole file is not read.
 */
export function readRuleLines(
  text: string,
  lineCharsMax: number,
): { lines: string[]; problems: RuleProblem[] } {
  const { lines, problems } = cutToSize(text)
  for (const [index, line] of lines.entries()) {
    const message = describeBadLine(line, lineCharsMax)
    if (message !== null) problems.push({ line: index + 1, message })
    lines[index] = message === null ? line.trim() : ''
  }
  return { lines, problems }
}

/** In the order of their lines; when there are more than the limit, one more says how many. */
export function firstProblems(problems: readonly RuleProblem[]): RuleProblem[] {
  const sorted = problems.toSorted((a, b) => a.line - b.line)
  const next = sorted[ruleProblemsMax]
  if (next === undefined) return sorted
  const message = `${sorted.length - ruleProblemsMax} more problems from this line on`
  return [...sorted.slice(0, ruleProblemsMax), { line: next.line, message }]
}

function cutToSize(text: string): { lines: string[]; problems: RuleProblem[] } {
  const bytes = Buffer.from(text)
  if (bytes.length <= ruleFileBytesMax) return { lines: text.split('\n'), problems: [] }
  const lines = bytes.toString('utf8', 0, ruleFileBytesMax).split('\n')
  lines.pop() // cut off somewhere inside
  const message = `the file is longer than ${ruleFileBytesMax} bytes; the rest is not read`
  return { lines, problems: [{ line: lines.length + 1, message }] }
}

function describeBadLine(line: string, charsMax: number): string | null {
  if (line.length > charsMax) return `longer than ${charsMax} characters`
  // What a decoder puts in the place of bytes that are no UTF-8.
  return line.includes('\uFFFD') || !line.isWellFormed() ? 'is not UTF-8' : null
}
