import type { z } from 'zod'

type Issue = z.core.$ZodRawIssue

/**
 * Describes zod's issue for the author of the value: `expected a string`. Messages of the schema take precedence
 * when this is passed as `error`. Does not repeat the value: it may be a secret, or long.
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
      return issue.format === 'url'
        ? 'expected an address with https://'
        : 'expected a string in another format'
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
  string: 'a string',
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
