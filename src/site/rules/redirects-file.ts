import { redirectConditionsMax, redirectLineCharsMax, redirectRulesMax } from '#site/limits.ts'
import { LinePace, runAtOnce, type Steps } from '#site/steps.ts'
import type { PathPattern } from './path-pattern.ts'
import { fieldOf } from './redirect-conditions.ts'
import { compileRedirectRule, type RedirectRule, sortRedirectWords } from './redirect-rule.ts'
import { indexRules, type RuleIndex } from './rule-index.ts'
import { type RuleProblem, RuleProblems, readRuleLines } from './rule-lines.ts'

export interface RedirectRules {
  readonly isEmpty: boolean
  /** Whether any rule also applies where a file exists. */
  readonly hasForced: boolean
  /** Lower-case names of the request headers that conditions read, for `Vary`. */
  readonly fields: readonly string[]
  /** Whether any condition reads the visitor's country, which is in no request header. */
  readonly readsCountry: boolean
  readonly forced: RuleIndex<RedirectRule>
  readonly unforced: RuleIndex<RedirectRule>
}

/** Netlify's grammar. A line that is invalid or redirects to itself is a problem; others apply. Linear; never throws. */
export const parseRedirects = (text: string): ParsedRedirects => runAtOnce(redirectSteps(text))

export interface ParsedRedirects {
  readonly rules: RedirectRules
  readonly problems: readonly RuleProblem[]
}

/** As `parseRedirects`, in steps. */
export function* redirectSteps(text: string): Steps<ParsedRedirects> {
  const problems = new RuleProblems()
  const lines = yield* readRuleLines(text, redirectLineCharsMax, problems)
  const rules: RedirectRule[] = []
  const pace = new LinePace()
  let conditions = 0
  for (const [index, line] of lines.entries()) {
    if (pace.isPauseDue(line)) yield
    const words = line === null || line === '' ? null : sortRedirectWords(line)
    if (words === null) continue
    if (rules.length === redirectRulesMax) {
      problems.add(index + 1, tooManyRules)
      break
    }
    const result = compileRedirectRule(words)
    const messages = result.ok ? result.remarks : [result.problem]
    for (const message of messages) problems.add(index + 1, message)
    if (!result.ok) continue
    const rule: RedirectRule = { ...result.rule, line: index + 1 }
    conditions += conditionsOf(rule)
    if (conditions > redirectConditionsMax) {
      problems.add(index + 1, tooManyConditions)
      break
    }
    rules.push(rule)
  }
  return { rules: compile(rules), problems: problems.list() }
}

const tooManyRules = `more than ${redirectRulesMax} rules; the rest is not read`

const tooManyConditions = `more than ${redirectConditionsMax} conditions in all; the rest is not read`

/** The cost of a rule for one request: its query keys and all values of its conditions. */
const conditionsOf = ({ conditions, query }: RedirectRule): number =>
  conditions.reduce((sum, { anyOf }) => sum + anyOf.length, query.length)

function compile(rules: readonly RedirectRule[]): RedirectRules {
  const forced = rules.filter(({ isForced }) => isForced)
  const unforced = rules.filter(({ isForced }) => !isForced)
  const fields = rules.flatMap(({ conditions }) => conditions.map(fieldOf))
  return {
    isEmpty: rules.length === 0,
    hasForced: forced.length > 0,
    fields: [...new Set(fields.filter((field) => field !== null))],
    readsCountry: fields.includes(null),
    forced: indexRules(forced, fromOf),
    unforced: indexRules(unforced, fromOf),
  }
}

const fromOf = ({ from }: RedirectRule): PathPattern => from
