import type { VisitorFacts } from './visitor-facts.ts'

/** What must hold of a visitor beside the path, for a rule to apply. */
export interface RedirectCondition {
  readonly about: 'country' | 'language' | 'cookie'
  /** Upper case for countries, lower case for languages, as they are for names of cookies. */
  readonly anyOf: readonly string[]
}

/** Reads `Country=us,gb`, `Language=zh` or `Cookie=is_legacy`; a sentence if it is none of them. */
export function parseRedirectCondition(word: string): RedirectCondition | string {
  const [key = '', ...rest] = word.split('=')
  const values = rest
    .join('=')
    .split(',')
    .filter((value) => value !== '')
  if (values.length === 0) return 'names nothing to compare with'
  switch (key.toLowerCase()) {
    case 'country':
      return { about: 'country', anyOf: values.map((value) => value.toUpperCase()) }
    case 'language':
      return { about: 'language', anyOf: values.map((value) => value.toLowerCase()) }
    case 'cookie':
      return { about: 'cookie', anyOf: values }
    default:
      return 'is no condition that is known; these are Country, Language and Cookie'
  }
}

export function conditionsHold(
  conditions: readonly RedirectCondition[],
  visitor: VisitorFacts,
): boolean {
  // Loops, here and below: a thousand rules may ask for one request.
  for (const { about, anyOf } of conditions) {
    if (!holdsAny(about, anyOf, visitor)) return false
  }
  return true
}

/** The field of a request that a condition is about. Countries are told by a server in front of us. */
export function fieldOf({ about }: RedirectCondition): string | null {
  switch (about) {
    case 'country':
      return null
    case 'language':
      return 'accept-language'
    case 'cookie':
      return 'cookie'
  }
}

function holdsAny(
  about: RedirectCondition['about'],
  anyOf: readonly string[],
  visitor: VisitorFacts,
): boolean {
  for (const wanted of anyOf) if (holds(about, wanted, visitor)) return true
  return false
}

function holds(about: RedirectCondition['about'], wanted: string, visitor: VisitorFacts): boolean {
  switch (about) {
    case 'country':
      return visitor.country === wanted
    case 'language':
      return isWithin(wanted, visitor.language)
    case 'cookie':
      return visitor.cookies.has(wanted)
  }
}

/** RFC 4647 §3.3.1: `zh` stands for `zh-CN` too. */
function isWithin(range: string, language: string | null): boolean {
  if (language === null || !language.startsWith(range)) return false
  return language.length === range.length || language[range.length] === '-'
}
