import { readBlockAddress } from './block-address.ts'
import {
  type HeaderBlock,
  type HeaderChange,
  type HeaderChangeResult,
  removeHeader,
  setHeader,
} from './header-block.ts'
import {
  headerBlocksMax,
  headerFieldsMax,
  headerLineCharsMax,
  headerLinesMax,
  headerSearchesMax,
} from './limits.ts'
import { firstProblems, readRuleLines } from './rule-lines.ts'
import type { RuleProblem } from './rule-problem.ts'

/**
 * Reads a `_headers`: a line with a path, or with `https://host/path`, opens a block; `Name: value` and
 * `! Name` below it say what is changed there. Linear, and never throws.
 */
export function readHeadersFile(text: string): {
  readonly blocks: readonly HeaderBlock[]
  readonly problems: readonly RuleProblem[]
} {
  const file = readRuleLines(text, headerLineCharsMax)
  const { orphans, sections } = sectionsOf(file.lines, new Set(file.problems.map(lineOf)))
  const problems = orphans.map(({ number }) => ({ line: number, message: 'expected a path above' }))
  const blocks: HeaderBlock[] = []
  const used: Used = { names: new Set(), searches: 0 }
  for (const section of withinLimits(sections, problems)) {
    const block = readSection(section, used, problems)
    if (block !== null) blocks.push(block)
  }
  return { blocks, problems: firstProblems([...file.problems, ...problems]) }
}

const lineOf = ({ line }: RuleProblem): number => line

interface Line {
  readonly number: number
  readonly text: string
}

interface Section {
  readonly opening: Line
  readonly changes: Line[]
}

function sectionsOf(
  lines: readonly string[],
  unreadable: ReadonlySet<number>,
): { readonly orphans: readonly Line[]; readonly sections: readonly Section[] } {
  const orphans: Line[] = []
  const sections: Section[] = []
  let changes = orphans
  for (const [index, text] of lines.entries()) {
    const line = { number: index + 1, text }
    // It may have been the path of the lines below it.
    if (unreadable.has(line.number)) changes = orphans
    else if (opensBlock(text)) {
      changes = []
      sections.push({ opening: line, changes })
    } else if (text !== '' && !text.startsWith('#')) changes.push(line)
  }
  return { orphans, sections }
}

/** No name of a header holds a slash. */
const opensBlock = (text: string): boolean => /^(?:[a-z][a-z0-9+.-]*:\/)?\//i.test(text)

/** The first blocks and lines, and a problem where the others begin. */
function withinLimits(sections: readonly Section[], problems: RuleProblem[]): readonly Section[] {
  const within: Section[] = []
  let linesLeft = headerLinesMax
  for (const { opening, changes } of sections) {
    const isOneTooMany = within.length === headerBlocksMax
    if (!isOneTooMany) within.push({ opening, changes: changes.slice(0, linesLeft) })
    const beyond = isOneTooMany ? opening : changes[linesLeft]
    if (beyond !== undefined) {
      const most = isOneTooMany ? `${headerBlocksMax} blocks` : `${headerLinesMax} headers`
      problems.push({ line: beyond.number, message: `more than ${most}; the rest is not read` })
      break
    }
    linesLeft -= changes.length
  }
  return within
}

/** What the blocks have of the file's limits so far. */
interface Used {
  /** Of headers. */
  readonly names: Set<string>
  searches: number
}

function readSection(section: Section, used: Used, problems: RuleProblem[]): HeaderBlock | null {
  const { number, text } = section.opening
  const address = readBlockAddress(text)
  if (address.problem !== null) problems.push({ line: number, message: address.problem })
  if (!address.ok) return null
  used.searches += address.searches
  if (address.searches > 0 && used.searches > headerSearchesMax) {
    problems.push({ line: number, message: tooManySearches })
    return null
  }
  if (section.changes.length === 0) {
    problems.push({ line: number, message: 'has no headers below it' })
  }

  const changes: HeaderChange[] = []
  for (const { number, text } of section.changes) {
    const read = readChange(text, address.names)
    const problem = read.ok && isOneTooMany(used.names, read.change) ? tooManyNames : read.problem
    if (problem !== null) problems.push({ line: number, message: problem })
    if (read.ok && problem !== tooManyNames) changes.push(read.change)
  }
  const { host, pattern, match } = address
  return { host, pattern, match, changes }
}

const tooManySearches = `more than ${headerSearchesMax} pieces of text between two *; this path is not used`

const tooManyNames = `more than ${headerFieldsMax} different headers; this one is not used`

function isOneTooMany(names: Set<string>, { name }: HeaderChange): boolean {
  if (names.size === headerFieldsMax && !names.has(name)) return true
  names.add(name)
  return false
}

function readChange(text: string, names: ReadonlySet<string>): HeaderChangeResult {
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
