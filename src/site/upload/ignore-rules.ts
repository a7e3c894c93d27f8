import {
  ignoreFileBytesMax,
  ignoreLineCharsMax,
  ignorePathStepsMax,
  ignoreRulesMax,
  ignoreStepsMax,
} from '#site/limits.ts'
import { utf8AsLatin1 } from '#site/utf8.ts'
import { compileIgnorePattern, type IgnorePattern, matchesIgnorePattern } from './ignore-pattern.ts'

/** A parsed `.sitehostignore`. */
export interface IgnoreRules {
  /**
   * Whether the file at this path, relative to the rules' folder, is ignored. Throws IgnoreStepsError when the
   * rules have cost more comparisons than one path or all paths together may take.
   */
  isIgnored(path: string): boolean
  /** Invalid lines, which have no effect. */
  readonly problems: readonly IgnoreProblem[]
}

export interface IgnoreProblem {
  readonly line: number
  readonly message: string
}

/** Matching these paths against the rules takes too long. */
export class IgnoreStepsError extends Error {
  override readonly name = 'IgnoreStepsError'
}

interface Rule extends IgnorePattern {
  readonly isNegated: boolean
  readonly foldersOnly: boolean
}

/**
 * gitignore(5), byte for byte as git 2.39 reads it: the last matching rule wins, and nothing can be re-included
 * below an ignored folder.
 */
export function parseIgnoreRules(text: string): IgnoreRules {
  const problems: IgnoreProblem[] = []
  const rules: Rule[] = []
  for (const [index, line] of linesOf(text, problems).entries()) {
    const rule = parseLine(line)
    if (rule === null) continue
    const isFull = rules.length >= ignoreRulesMax
    if (typeof rule !== 'string' && !isFull) {
      rules.push(rule)
      continue
    }
    const tooMany = `more than ${ignoreRulesMax} rules; the rest is not read`
    problems.push({ line: index + 1, message: typeof rule === 'string' ? rule : tooMany })
    if (isFull) break
  }
  return { isIgnored: matcherOf(rules), problems }
}

function linesOf(text: string, problems: IgnoreProblem[]): string[] {
  const bytes = utf8AsLatin1(text.replace(/^\uFEFF/, ''))
  const lines = bytes.slice(0, ignoreFileBytesMax).split('\n')
  if (bytes.length <= ignoreFileBytesMax) return lines
  lines.pop() // cut off somewhere inside
  problems.push({
    line: lines.length + 1,
    message: `the file is longer than ${ignoreFileBytesMax} bytes; the rest is not read`,
  })
  return lines
}

/** Null for a line without a rule, a sentence for an invalid rule. */
function parseLine(line: string): Rule | string | null {
  if (line.length > ignoreLineCharsMax) return `longer than ${ignoreLineCharsMax} characters`
  const text = withoutTrailingSpaces(line.endsWith('\r') ? line.slice(0, -1) : line)
  if (text === '' || text.startsWith('#')) return null
  const isNegated = text.startsWith('!')
  const foldersOnly = text.endsWith('/')
  const pattern = text.slice(isNegated ? 1 : 0, foldersOnly ? -1 : undefined)
  const compiled = compileIgnorePattern(pattern)
  return typeof compiled === 'string' ? compiled : { ...compiled, isNegated, foldersOnly }
}

/** Removes spaces only, and none after a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length
  while (line[end - 1] === ' ') end--
  if (end === line.length) return line
  let backslashes = 0
  while (line[end - 1 - backslashes] === '\\') backslashes++
  return line.slice(0, backslashes % 2 === 1 ? end + 1 : end)
}

function matcherOf(rules: readonly Rule[]): (path: string) => boolean {
  const lastFirst = rules.toReversed()
  const leftOutFolders = new Map<string, boolean>([['', false]])
  let stepsLeft = ignoreStepsMax

  const decide = (path: string, isFolder: boolean, budget: { steps: number }): boolean => {
    const rule = lastFirst.find(
      (rule) => (isFolder || !rule.foldersOnly) && matchesIgnorePattern(rule, path, budget),
    )
    if (budget.steps < 0) throw new IgnoreStepsError('ignore rules take too long')
    return rule !== undefined && !rule.isNegated
  }

  // Parents first: rules for paths below an ignored folder are not evaluated.
  const isBelowLeftOut = (path: string, budget: { steps: number }): boolean => {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
      const folder = path.slice(0, at)
      const known = leftOutFolders.get(folder) ?? decide(folder, true, budget)
      leftOutFolders.set(folder, known)
      if (known) return true
    }
    return false
  }

  return (path) => {
    const bytes = utf8AsLatin1(path)
    const steps = Math.min(ignorePathStepsMax, stepsLeft)
    const budget = { steps }
    const isIgnored = isBelowLeftOut(bytes, budget) || decide(bytes, false, budget)
    stepsLeft -= steps - budget.steps
    return isIgnored
  }
}
