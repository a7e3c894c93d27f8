import { runAtOnce, type Steps } from '#site/steps.ts'
import type { HeaderBlock } from './header-block.ts'
import { type HeaderSetting, readHeaderSettings } from './header-settings.ts'
import { readHeadersFile } from './headers-file.ts'
import type { PathPattern } from './path-pattern.ts'
import { indexRules, type RuleIndex } from './rule-index.ts'
import type { RuleProblem } from './rule-problem.ts'
import { SearchBudget } from './search-budget.ts'

/** Everything that the owner of a site says about its headers. */
export interface HeaderRules {
  readonly blocks: RuleIndex<HeaderBlock>
  readonly isEmpty: boolean
  /** What all of them set and remove. */
  readonly changeCount: number
}

/**
 * Reads a site's `_headers` and the `headers` of its settings, which come first. What is not understood or
 * not allowed counts for nothing and is a problem for the owner to see. Linear, and never throws.
 */
export const parseHeaderRules = (text: string, own: readonly HeaderSetting[]): ParsedHeaderRules =>
  runAtOnce(headerRuleSteps(text, own))

export interface ParsedHeaderRules {
  readonly rules: HeaderRules
  readonly problems: readonly RuleProblem[]
  /** Each begins with the field's place, such as `headers.2.path: `. */
  readonly settingsProblems: readonly string[]
}

/** As `parseHeaderRules`, in steps. */
export function* headerRuleSteps(
  text: string,
  own: readonly HeaderSetting[],
): Steps<ParsedHeaderRules> {
  const budget = new SearchBudget()
  const settings = readHeaderSettings(own, budget)
  yield
  const file = yield* readHeadersFile(text, budget)
  const blocks = [...settings.blocks, ...file.blocks]
  return {
    rules: {
      blocks: indexRules(blocks, patternOf),
      isEmpty: blocks.length === 0,
      changeCount: changesIn(blocks),
    },
    problems: file.problems,
    settingsProblems: settings.problems,
  }
}

const patternOf = ({ pattern }: HeaderBlock): PathPattern => pattern

const changesIn = (blocks: readonly HeaderBlock[]): number =>
  blocks.reduce((sum, { changes }) => sum + changes.length, 0)
