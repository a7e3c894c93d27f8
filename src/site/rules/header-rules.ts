import type { SiteSettings } from '#site/record/settings.ts'
import { runAtOnce, type Steps } from '#site/steps.ts'
import { SearchBudget } from './glob.ts'
import { type HeaderBlock, readSettingPath, setHeader } from './header-block.ts'
import { readHeadersFile } from './headers-file.ts'
import type { PathPattern } from './path-pattern.ts'
import { indexRules, type RuleIndex } from './rule-index.ts'
import type { RuleProblem } from './rule-lines.ts'

export interface HeaderRules {
  readonly blocks: RuleIndex<HeaderBlock>
  readonly isEmpty: boolean
  /** Changes in all blocks. */
  readonly changeCount: number
}

/** Settings first, then `_headers`. Unusable entries are problems and have no effect. Linear; never throws. */
export const parseHeaderRules = (text: string, own: readonly HeaderSetting[]): ParsedHeaderRules =>
  runAtOnce(headerRuleSteps(text, own))

interface ParsedHeaderRules {
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

export type HeaderSetting = NonNullable<SiteSettings['headers']>[number]

/** The first unusable path, as `headers.2.path: reason`; null if there is none. */
export function findUnusablePath(own: readonly HeaderSetting[]): string | null {
  const budget = new SearchBudget()
  for (const [index, { path }] of own.entries()) {
    const address = readSettingPath(path ?? '/*')
    const problem = address.ok ? budget.spend(address.searches) : address.problem
    if (problem !== null) return `headers.${index}.path: ${problem}`
  }
  return null
}

/** Parses the headers of a site's settings, each on its own. Never throws. */
function readHeaderSettings(own: readonly HeaderSetting[], budget: SearchBudget) {
  const blocks: HeaderBlock[] = []
  const problems: string[] = []
  for (const [index, { name, value, path }] of own.entries()) {
    const place = `headers.${index}`
    const address = readSettingPath(path ?? '/*')
    if (address.problem !== null) problems.push(`${place}.path: ${address.problem}`)
    if (!address.ok) continue
    const unaffordable = budget.spend(address.searches)
    if (unaffordable !== null) {
      problems.push(`${place}.path: ${unaffordable}`)
      continue
    }
    const { host, pattern } = address
    const read = setHeader(name, value, pattern.names)
    const from = { kind: 'settings', index } as const
    if (read.ok) blocks.push({ host, pattern, changes: [{ ...read.change, from }] })
    if (read.problem !== null) problems.push(`${place}.${read.at}: ${read.problem}`)
  }
  return { blocks, problems }
}
