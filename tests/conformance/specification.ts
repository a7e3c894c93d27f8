import { readFileSync } from 'node:fs'
import { join } from 'node:path'

// What the specification says, read from its own text, so that no list here can forget a line of it.

/** A route as the specification names it, with the section that does. */
export interface SpecifiedRoute {
  readonly section: string
  /** Such as `POST /api/domain/claim`. */
  readonly route: string
}

/** A text that an answer has to hold to the letter: a message, a word, or where a redirect leads. */
export interface LiteralText {
  readonly section: string
  readonly text: string
}

const file = join(import.meta.dir, '../../docs/spec/interface.md')

/** Every route of §4's tables. */
export function specifiedRoutes(): SpecifiedRoute[] {
  return linesWithSection().flatMap(({ section, line }) => {
    const route = /^\| `((?:GET|POST|DELETE|PUT|PATCH) \/\S+)` /.exec(line)?.[1]
    return route === undefined ? [] : [{ section, route }]
  })
}

/** Every literal of §4, §5 and §7: what stands in single quotes inside of code, and the targets of redirects. */
export function literalTexts(): LiteralText[] {
  const found = linesWithSection().flatMap(({ section, line }) =>
    literalsOf(line).map((text) => ({ section, text })),
  )
  return [...new Map(found.map((literal) => [JSON.stringify(literal), literal])).values()]
}

/** The first column of §7's table. */
export function errorSituations(): string[] {
  return linesWithSection()
    .filter(({ section, line }) => section === '7' && line.startsWith('| '))
    .map(({ line }) => line.split('|')[1]?.trim() ?? '')
    .filter((cell) => cell !== 'Situation' && !/^-+$/.test(cell))
}

function literalsOf(line: string): string[] {
  const codes = [...line.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? '')
  const quoted = codes.flatMap((code) =>
    [...code.matchAll(/'([^']+)'/g)].map(([, text]) => text ?? ''),
  )
  const targets = line.includes('302')
    ? codes.filter((code) => /^\/(\?error=\w+|onboarding|editor)$/.test(code))
    : []
  return [...quoted, ...targets]
}

function linesWithSection(): { section: string; line: string }[] {
  let section = ''
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => {
      section = /^#+ (\d+(?:\.\d+)?)\.? /.exec(line)?.[1] ?? section
      return { section, line }
    })
    .filter(({ section: at }) => /^(4|5|7)(\.|$)/.test(at))
}
