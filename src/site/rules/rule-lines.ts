import { ruleFileBytesMax } from '#site/limits.ts'
import { LinePace, type Steps } from '#site/steps.ts'
import type { RuleProblems } from './rule-problem.ts'

/**
 * The lines of a `_redirects` or `_headers`, without spaces at either end; those that are too long or no
 * UTF-8 are null, and problems. What is beyond the limit of the whole file is not read.
 */
export function* readRuleLines(
  text: string,
  lineCharsMax: number,
  problems: RuleProblems,
): Steps<(string | null)[]> {
  const lines: (string | null)[] = []
  const pace = new LinePace()
  for (const [index, line] of cutToSize(text, problems).entries()) {
    const message = describeBadLine(line, lineCharsMax)
    if (message !== null) problems.add(index + 1, message)
    lines.push(message === null ? line.trim() : null)
    if (pace.isPauseDue(line)) yield
  }
  return lines
}

function cutToSize(text: string, problems: RuleProblems): string[] {
  const bytes = Buffer.from(text)
  if (bytes.length <= ruleFileBytesMax) return text.split('\n')
  const lines = bytes.toString('utf8', 0, ruleFileBytesMax).split('\n')
  lines.pop() // cut off somewhere inside
  const message = `the file is longer than ${ruleFileBytesMax} bytes; the rest is not read`
  problems.add(lines.length + 1, message)
  return lines
}

function describeBadLine(line: string, charsMax: number): string | null {
  if (line.length > charsMax) return `longer than ${charsMax} characters`
  // What a decoder puts in the place of bytes that are no UTF-8.
  return line.includes('\uFFFD') || !line.isWellFormed() ? 'is not UTF-8' : null
}
