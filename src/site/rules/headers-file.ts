import {
  headerBlocksMax,
  headerFieldsMax,
  headerLineCharsMax,
  headerLinesMax,
} from '#site/limits.ts'
import { LinePace, type Steps } from '#site/steps.ts'
import type { SearchBudget } from './glob.ts'
import {
  type HeaderBlock,
  type HeaderChange,
  type HeaderChangeResult,
  type PlacedChange,
  readBlockAddress,
  removeHeader,
  setHeader,
} from './header-block.ts'
import { type RuleProblem, RuleProblems, readRuleLines } from './rule-lines.ts'
import type { KnownNames } from './template.ts'

/** A path or `https://host/path` opens a block of `Name: value` and `! Name` lines. Linear; never throws. */
export function* readHeadersFile(
  text: string,
  budget: SearchBudget,
): Steps<{
  readonly blocks: readonly HeaderBlock[]
  readonly problems: readonly RuleProblem[]
}> {
  const problems = new RuleProblems()
  const lines = yield* readRuleLines(text, headerLineCharsMax, problems)
  const sections = yield* readSections(lines, problems)
  const blocks: HeaderBlock[] = []
  const used: Used = { names: new Set(), budget, pace: new LinePace() }
  for (const section of withinLimits(sections, problems)) {
    const block = yield* readSection(section, used, problems)
    if (block !== null) blocks.push(block)
  }
  return { blocks, problems: problems.list() }
}

interface Line {
  readonly number: number
  readonly text: string
}

interface Section {
  readonly opening: Line
  readonly changes: Line[]
}

function* readSections(
  lines: readonly (string | null)[],
  problems: RuleProblems,
): Steps<readonly Section[]> {
  const sections: Section[] = []
  let section: Section | null = null
  const pace = new LinePace()
  for (const [index, text] of lines.entries()) {
    const number = index + 1
    if (pace.isPauseDue(text)) yield
    // The unread line may have opened a block.
    if (text === null) section = null
    else if (opensBlock(text)) {
      section = { opening: { number, text }, changes: [] }
      sections.push(section)
    } else if (text !== '' && !text.startsWith('#')) {
      if (section === null) problems.add(number, 'expected a path above')
      else section.changes.push({ number, text })
    }
  }
  return sections
}

/** Header names contain no slash. */
const opensBlock = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:\/)?\//i.test(text)

/** The blocks and lines within the limits; reports a problem where the rest begins. */
function withinLimits(sections: readonly Section[], problems: RuleProblems): readonly Section[] {
  const within: Section[] = []
  let linesLeft = headerLinesMax
  for (const { opening, changes } of sections) {
    const isOneTooMany = within.length === headerBlocksMax
    if (!isOneTooMany) within.push({ opening, changes: changes.slice(0, linesLeft) })
    const beyond = isOneTooMany ? opening : changes[linesLeft]
    if (beyond !== undefined) {
      const most = isOneTooMany ? `${headerBlocksMax} blocks` : `${headerLinesMax} headers`
      problems.add(beyond.number, `more than ${most}; the rest is not read`)
      break
    }
    linesLeft -= changes.length
  }
  return within
}

/** What the blocks have used of the file's limits. */
interface Used {
  /** Header names. */
  readonly names: Set<string>
  readonly budget: SearchBudget
  /** Counts the input since the last pause. */
  readonly pace: LinePace
}

function* readSection(
  section: Section,
  used: Used,
  problems: RuleProblems,
): Steps<HeaderBlock | null> {
  const { number, text } = section.opening
  if (used.pace.isPauseDue(text)) yield
  const address = readBlockAddress(text)
  if (address.problem !== null) problems.add(number, address.problem)
  if (!address.ok) return null
  const unaffordable = used.budget.spend(address.searches)
  if (unaffordable !== null) {
    problems.add(number, unaffordable)
    return null
  }
  if (section.changes.length === 0) {
    problems.add(number, 'has no headers below it')
  }

  const changes: PlacedChange[] = []
  for (const { number, text } of section.changes) {
    if (used.pace.isPauseDue(text)) yield
    const read = readChange(text, address.pattern.names)
    const problem = read.ok && isOneTooMany(used.names, read.change) ? tooManyNames : read.problem
    if (problem !== null) problems.add(number, problem)
    if (read.ok && problem !== tooManyNames)
      changes.push({ ...read.change, from: { kind: 'file', line: number } })
  }
  return { host: address.host, pattern: address.pattern, changes }
}

const tooManyNames = `more than ${headerFieldsMax} different headers; this one is not used`

function isOneTooMany(names: Set<string>, { name }: HeaderChange): boolean {
  if (names.size === headerFieldsMax && !names.has(name)) return true
  names.add(name)
  return false
}

function readChange(text: string, names: KnownNames): HeaderChangeResult {
  const colon = text.indexOf(':')
  const name = text.slice(0, colon).trim()
  const value = text.slice(colon + 1).trim()
  if (colon !== -1 && value !== '') return setHeader(name, value, names)
  if (colon !== -1) return bad('value', 'expected a value; ! before the name removes a header')
  if (text.startsWith('!')) return removeHeader(text.slice(1).trim())
  return bad('name', 'expected a path, Name: value or ! Name')
}

const bad = (at: 'name' | 'value', problem: string): HeaderChangeResult => ({
  ok: false,
  at,
  problem,
})
