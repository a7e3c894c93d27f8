import { ruleFileBytesMax, ruleProblemsMax } from '#site/limits.ts'
import { LinePace, type Steps } from '#site/steps.ts'

/** Trimmed lines; null, and reported, if too long or not UTF-8. Beyond the limit of the whole file nothing is read. */
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
  // The decoder's replacement for bytes that are not UTF-8.
  return line.includes('\uFFFD') || !line.isWellFormed() ? 'is not UTF-8' : null
}

/** A problem in one line; the other lines still apply. */
export interface RuleProblem {
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** The problems of a file: the first ones by line, and the number of others. */
export class RuleProblems {
  /** One more than is shown: the summary of the others has its line. */
  readonly #first: RuleProblem[] = []
  #count = 0

  add(line: number, message: string): void {
    this.#count++
    const isFull = this.#first.length > ruleProblemsMax
    if (isFull && line >= (this.#first.at(-1)?.line ?? 0)) return
    const at = this.#first.findLastIndex((known) => known.line <= line) + 1
    this.#first.splice(at, 0, { line, message })
    if (isFull) this.#first.pop()
  }

  /** By line; beyond the limit, the last one says how many more there are. */
  list(): RuleProblem[] {
    const shown = this.#first.slice(0, ruleProblemsMax)
    const next = this.#first[ruleProblemsMax]
    if (next === undefined) return shown
    const message = `${this.#count - ruleProblemsMax} more problems from this line on`
    return [...shown, { line: next.line, message }]
  }
}
