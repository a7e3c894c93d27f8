import type { RedirectRule } from './redirect-rule.ts'

/** Rules in file order, found by the first segment that they want. */
export interface RedirectIndex {
  /** By a literal first segment; by the empty text those about the root alone. */
  readonly byFirst: ReadonlyMap<string, readonly Placed[]>
  /** Those that begin with `*` or `:name`. */
  readonly floating: readonly Placed[]
}

interface Placed {
  readonly rule: RedirectRule
  readonly order: number
}

export function indexRedirects(rules: readonly RedirectRule[]): RedirectIndex {
  const byFirst = new Map<string, Placed[]>()
  const floating: Placed[] = []
  for (const [order, rule] of rules.entries()) {
    const first = firstSegment(rule)
    const known = first === null ? floating : byFirst.get(first)
    if (known !== undefined) known.push({ rule, order })
    else if (first !== null) byFirst.set(first, [{ rule, order }])
  }
  return { byFirst, floating }
}

/** What `read` makes of the first rule that it makes something of, in file order; null without one. */
export function firstRedirect<T>(
  { byFirst, floating }: RedirectIndex,
  first: string,
  read: (rule: RedirectRule) => T | null,
): T | null {
  const literal = byFirst.get(first) ?? []
  let i = 0
  let j = 0
  for (;;) {
    const a = literal[i]
    const b = floating[j]
    if (a === undefined && b === undefined) return null
    const isLiteral = a !== undefined && (b === undefined || a.order < b.order)
    if (isLiteral) i++
    else j++
    const next = isLiteral ? a : b
    const made = next === undefined ? null : read(next.rule)
    if (made !== null) return made
  }
}

/** Null when any will do. */
function firstSegment({ from: { head, tail } }: RedirectRule): string | null {
  const [first] = head
  if (first === undefined) return tail === null ? '' : null
  return first.kind === 'literal' ? first.text : null
}
