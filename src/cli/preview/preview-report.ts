import type { FolderVersion } from './folder-version.ts'

/** Of each kind; whoever has more has one reason for them. */
const linesMax = 20

/** What a person is told of a folder that was read for the first time. */
export function describeVersion(folder: string, version: FolderVersion): string[] {
  const { leftOut, problems } = version
  return [
    `${folder}: ${filesOf(version)}`,
    ...shortened(
      leftOut.map(({ path, reason }) => `left out: ${JSON.stringify(path)} (${reason})`),
    ),
    ...shortened(problems.map((problem) => `problem: ${problem}`)),
  ].map(printable)
}

/** What of it is new since the problems were these. */
export function describeChange(version: FolderVersion, before: readonly string[]): string[] {
  const { problems } = version
  const news = problems.filter((problem) => !before.includes(problem))
  return [
    `read again: ${filesOf(version)}, ${counted(problems.length, 'problem')}`,
    ...shortened(news.map((problem) => `problem: ${problem}`)),
  ].map(printable)
}

/** A line without what a terminal would obey: names and rules may be anybody's. */
export const printable = (line: string): string => `  ${line.replace(/\p{Cc}/gu, '\uFFFD')}`

const filesOf = ({ snapshot }: FolderVersion): string => counted(snapshot.files.size, 'file')

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

function shortened(lines: readonly string[]): string[] {
  if (lines.length <= linesMax) return [...lines]
  return [...lines.slice(0, linesMax), `… and ${lines.length - linesMax} more`]
}
