import { redirectLineCharsMax, redirectRulesMax } from './limits.ts'
import type { PathPattern } from './path-pattern.ts'
import { fieldOf } from './redirect-conditions.ts'
import { compileRedirectRule, type RedirectRule } from './redirect-rule.ts'
import { sortRedirectWords } from './redirect-words.ts'
import { indexRules, type RuleIndex } from './rule-index.ts'
import { firstProblems, readRuleLines } from './rule-lines.ts'
import type { RuleProblem } from './rule-problem.ts'

/** What a `_redirects` says, ready to be matched. */
export interface RedirectRules {
  readonly isEmpty: boolean
  /** Whether any rule applies where there is a file, too. */
  readonly hasForced: boolean
  /** Lower-case names of the fields of a request that conditions ask for, for `Vary`. */
  readonly fields: readonly string[]
  readonly forced: RuleIndex<RedirectRule>
  readonly unforced: RuleIndex<RedirectRule>
}

/**
 * Reads a `_redirects` in Netlify's grammar. A line that is not understood, or would lead to itself,
 * counts for nothing and is a problem; the others apply. Linear, and never throws.
 */
export function parseRedirects(text: string): {
  readonly rules: RedirectRules
  readonly problems: readonly RuleProblem[]
} {
  const { lines, problems } = readRuleLines(text, redirectLineCharsMax)
  const rules: RedirectRule[] = []
  for (const [index, line] of lines.entries()) {
    const words = line === '' ? null : sortRedirectWords(line)
    if (words === null) continue
    const messages = rules.length < redirectRulesMax ? readRule(words, rules) : [tooManyRules]
    problems.push(...messages.map((message) => ({ line: index + 1, message })))
    if (messages[0] === tooManyRules) break
  }
  return { rules: compile(rules), problems: firstProblems(problems) }
}

const tooManyRules = `more than ${redirectRulesMax} rules; the rest is not read`

/** Adds the rule to the others, if it is one. */
function readRule(
  words: NonNullable<ReturnType<typeof sortRedirectWords>>,
  rules: RedirectRule[],
): readonly string[] {
  if (typeof words === 'string') return [words]
  const result = compileRedirectRule(words)
  if (!result.ok) return [result.problem]
  rules.push(result.rule)
  return result.remarks
}

function compile(rules: readonly RedirectRule[]): RedirectRules {
  const forced = rules.filter(({ isForced }) => isForced)
  const unforced = rules.filter(({ isForced }) => !isForced)
  const fields = rules.flatMap(({ conditions }) => conditions.map(fieldOf))
  return {
    isEmpty: rules.length === 0,
    hasForced: forced.length > 0,
    fields: [...new Set(fields.filter((field) => field !== null))],
    forced: indexRules(forced, fromOf),
    unforced: indexRules(unforced, fromOf),
  }
}

const fromOf = ({ from }: RedirectRule): PathPattern => from
