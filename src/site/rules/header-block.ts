import {
  describeRefusedField,
  isFieldName,
  isFieldValue,
  isForOwnDomain,
} from '#http/header-fields.ts'
import { claimsServedCharset } from '#http/media-type.ts'
import { isWebAddress } from '#http/web-address.ts'
import { headerNameCharsMax, headerValueCharsMax, headerValueNamesMax } from '#site/limits.ts'
import { isForCertificates } from '#site/request-path.ts'
import { compileGlobPattern, type PathPattern } from './path-pattern.ts'
import { type KnownNames, parseTemplate, type Template } from './template.ts'

/** Header changes for some addresses of a site. */
export interface HeaderBlock {
  /** Lower case; null for every host of the site. */
  readonly host: string | null
  readonly pattern: PathPattern
  readonly changes: readonly PlacedChange[]
}

export interface PlacedChange extends HeaderChange {
  readonly from: HeaderOrigin
}

/** Where an owner set or removed a header. */
export type HeaderOrigin =
  /** A line of `_headers`, from 1. */
  | { readonly kind: 'file'; readonly line: number }
  /** A header of the settings, from 0. */
  | { readonly kind: 'settings'; readonly index: number }

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
      /** A warning for the owner. */
      readonly problem: string | null
      readonly at: 'name'
    }
  | { readonly ok: false; readonly problem: string; readonly at: 'name' | 'value' }

/** In the value, `:name` is replaced if it is one of `names`, else literal. Never throws. */
export function setHeader(name: string, value: string, names: KnownNames): HeaderChangeResult {
  const problem = describeBadValue(name, value)
  if (problem !== null) return { ok: false, at: 'value', problem }
  const template = parseTemplate(value, names).map((part) =>
    typeof part === 'string' || names.has(part.name) ? part : `:${part.name}`,
  )
  const count = template.filter((part) => typeof part !== 'string').length
  if (count > headerValueNamesMax) return { ok: false, at: 'value', problem: tooManyNames }
  // With placeholders, `applyHeaderRules` checks the filled value.
  const isBadType =
    count === 0 && name.toLowerCase() === 'content-type' && !claimsServedCharset(value)
  return isBadType ? { ok: false, at: 'value', problem: refusedCharset } : changeOf(name, template)
}

const tooManyNames = `more than ${headerValueNamesMax} names in one value`

const refusedCharset =
  'this charset is not sent; leave it out, or name one that browsers support, once'

/** Removes what the owner set so far and our own header. Never throws. */
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

type BlockAddress =
  | (Pick<HeaderBlock, 'host' | 'pattern'> & {
      readonly ok: true
      /** How many strings between two stars each path is searched for. */
      readonly searches: number
      /** A warning about text that is taken literally but looks like a pattern. */
      readonly problem: string | null
    })
  | { readonly ok: false; readonly problem: string }

/** Parses the line that opens a block of a `_headers`: `/path` or `https://host/path`. Never throws. */
export function readBlockAddress(text: string): BlockAddress {
  const [address = '', next] = text.split(/\s+/)
  if (next !== undefined && !next.startsWith('#')) {
    return { ok: false, problem: 'a path has no spaces; write %20' }
  }
  return readAddress(address)
}

/** As in a `_headers`, but it may contain spaces; without a slash it matches the end of any address. Never throws. */
export function readSettingPath(path: string): BlockAddress {
  if (!path.includes('/')) return addressOf(null, path === '*' ? '/*' : `/*/${path}`)
  const isWhole = path.startsWith('/') || isWebAddress(path)
  return isWhole ? readAddress(path) : addressOf(null, `/${path}`)
}

function readAddress(address: string): BlockAddress {
  if (address.startsWith('/')) return addressOf(null, address)
  // No port: sites are served on the default one.
  const [, host, path] = /^https:\/\/([a-z0-9.-]+)(\/.*)?$/i.exec(address) ?? []
  if (host === undefined) return { ok: false, problem: 'expected https://, a host and a path' }
  return addressOf(host.toLowerCase().replace(/\.$/, ''), path ?? '/')
}

function addressOf(host: string | null, path: string): BlockAddress {
  if (/[?#]/.test(path))
    return { ok: false, problem: 'is not only a path; %3F and %23 are part of one' }
  const compiled = compileGlobPattern(path)
  if (!compiled.ok) return compiled
  const { pattern, problem } = compiled
  if (isForCertificates(pattern.head)) return { ok: false, problem: neverForCertificates }
  return { ok: true, host, pattern, searches: pattern.glob?.middle.length ?? 0, problem }
}

const neverForCertificates =
  'has no effect: certificate challenges are answered without your headers'
