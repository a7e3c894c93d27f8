import { expect } from 'bun:test'

/** What a row knows by name: ids that were given out, accounts, addresses. `{name}` in a text stands for it. */
export type Facts = Readonly<Record<string, string>>

/** A text that is not known in advance, by what it has to be. */
class Like {
  readonly pattern: string

  constructor(pattern: string) {
    this.pattern = pattern
  }
}

/** The whole text has to match; `{name}` in it stands for that fact, letter by letter. */
export const like = (pattern: string): Like => new Like(pattern)

export const aCid: Like = like('bafyrei[a-z2-7]{52}')
export const aJobId: Like = like('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}')
export const aDomainId: Like = like('[a-z2-7]{16}')
export const aTime: Like = like('\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z')

/** The text with its facts. Throws for one that nobody has given. */
export function filled(text: string, facts: Facts): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => factOf(facts, name))
}

/** What `toEqual` takes for it: `{name}` filled in at every depth, each Like a matcher. */
export function expected(value: unknown, facts: Facts): unknown {
  if (value instanceof Like) return expect.stringMatching(patternOf(value, facts))
  if (typeof value === 'string') return filled(value, facts)
  if (Array.isArray(value)) return value.map((item) => expected(item, facts))
  if (value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(
    Object.entries(value as object).map(([key, item]) => [key, expected(item, facts)]),
  )
}

/** Every text that is expected as it stands. */
export function literalsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || value instanceof Like) return []
  return Object.values(value).flatMap(literalsIn)
}

const patternOf = ({ pattern }: Like, facts: Facts): RegExp =>
  new RegExp(
    `^(?:${pattern.replace(/\{([a-z]\w*)\}/gi, (_, name: string) => RegExp.escape(factOf(facts, name)))})$`,
  )

function factOf(facts: Facts, name: string): string {
  const fact = facts[name]
  if (fact === undefined) throw new Error(`nobody has given {${name}}`)
  return fact
}
