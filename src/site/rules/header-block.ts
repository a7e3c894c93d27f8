import {
  describeRefusedField,
  isFieldName,
  isFieldValue,
  isForOwnDomain,
} from '#http/header-fields.ts'
import { claimsServedCharset } from '#http/media-type.ts'
import { headerNameCharsMax, headerValueCharsMax, headerValueNamesMax } from '#site/limits.ts'
import type { EncodedMatch } from './encoded-captures.ts'
import type { PathPattern } from './path-pattern.ts'
import { parseTemplate, type Template } from './template.ts'

/** What is changed in the answers for some addresses of a site. */
export interface HeaderBlock {
  /** Lower case; null for every host of the site. */
  readonly host: string | null
  /** Which paths may fit. */
  readonly pattern: PathPattern
  readonly match: EncodedMatch
  readonly changes: readonly HeaderChange[]
}

export interface HeaderChange {
  /** Lower case. */
  readonly name: string
  /** Null removes the field. */
  readonly value: Template | null
  readonly isForOwnDomain: boolean
}

export type HeaderChangeResult =
  | {
      readonly ok: true
      readonly change: HeaderChange
      /** What the owner should know of it nevertheless. */
      readonly problem: string | null
      readonly at: 'name'
    }
  | { readonly ok: false; readonly problem: string; readonly at: 'name' | 'value' }

/** In the value, `:name` is what the address gives to one of these names; any other is text. Never throws. */
export function setHeader(
  name: string,
  value: string,
  names: ReadonlySet<string>,
): HeaderChangeResult {
  const problem = describeBadValue(name, value)
  if (problem !== null) return { ok: false, at: 'value', problem }
  const template = parseTemplate(value, names).map((part) =>
    typeof part === 'string' || names.has(part.name) ? part : `:${part.name}`,
  )
  const count = template.filter((part) => typeof part !== 'string').length
  if (count > headerValueNamesMax) return { ok: false, at: 'value', problem: tooManyNames }
  // Of one with names `applyHeaderRules` sees what it becomes.
  const isBadType =
    count === 0 && name.toLowerCase() === 'content-type' && !claimsServedCharset(value)
  return isBadType ? { ok: false, at: 'value', problem: refusedCharset } : changeOf(name, template)
}

const tooManyNames = `more than ${headerValueNamesMax} names in one value`

const refusedCharset = 'this charset is not sent; leave it out, or say one that browsers read, once'

/** What the owner set so far, and what we would have said ourselves, is not sent. Never throws. */
export function removeHeader(name: string): HeaderChangeResult {
  const isAlwaysSent = name.toLowerCase() === 'x-content-type-options'
  return isAlwaysSent ? { ok: false, at: 'name', problem: alwaysNosniff } : changeOf(name, null)
}

function changeOf(name: string, value: Template | null): HeaderChangeResult {
  const lowerCase = name.toLowerCase()
  const refused = describeBadName(name) ?? describeRefusedField(lowerCase)
  if (refused !== null) return { ok: false, at: 'name', problem: refused }
  const change = { name: lowerCase, value, isForOwnDomain: isForOwnDomain(lowerCase) }
  const problem = change.isForOwnDomain ? `${name} is only sent on a domain of your own` : null
  return { ok: true, at: 'name', change, problem }
}

function describeBadName(name: string): string | null {
  if (!isFieldName(name)) return 'expected the name of a header'
  return name.length > headerNameCharsMax
    ? `the name is longer than ${headerNameCharsMax} characters`
    : null
}

function describeBadValue(name: string, value: string): string | null {
  if (!isFieldValue(value)) return 'expected visible ASCII characters'
  if (value.length > headerValueCharsMax) {
    return `the value is longer than ${headerValueCharsMax} characters`
  }
  const isSniffing = name.toLowerCase() === 'x-content-type-options' && !/^nosniff$/i.test(value)
  return isSniffing ? alwaysNosniff : null
}

const alwaysNosniff = 'X-Content-Type-Options is always nosniff'
