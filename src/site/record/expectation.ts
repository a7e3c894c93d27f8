import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

/**
 * zod's problem in words for the person who wrote the value: `expected a text`. A schema's own messages stand
 * before it when it is handed in as `error`. What was given is not repeated: it may be a secret, or long.
 */
export function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${typeNames[issue.expected] ?? 'something else'}`
    case 'invalid_value':
      return `expected ${listed(issue.values.map(String))}`
    case 'too_small':
      return `expected ${amount(issue.origin, 'at least', Number(issue.minimum))}`
    case 'too_big':
      return `expected ${amount(issue.origin, 'at most', Number(issue.maximum))}`
    case 'invalid_format':
      return issue.format === 'url' ? 'expected an address with https://' : 'expected another text'
    default:
      return 'not what was expected'
  }
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  int: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a text',
}

/** `a`, `a or b`, `a, b or c`. */
function listed(values: readonly string[]): string {
  const last = values.at(-1) ?? ''
  return values.length < 2 ? last : `${values.slice(0, -1).join(', ')} or ${last}`
}

const counted: Readonly<Record<string, readonly [one: string, several: string]>> = {
  array: ['entry', 'entries'],
  string: ['character', 'characters'],
}

function amount(origin: string, bound: string, count: number): string {
  const words = counted[origin]
  return words === undefined
    ? `${bound} ${count}`
    : `${bound} ${count} ${words[count === 1 ? 0 : 1]}`
}
