import type { PathPattern } from './path-pattern.ts'

/** Rules in file order, indexed by their first segment. */
export interface RuleIndex<Rule> {
  /** By literal first segment; the empty string for rules for the root alone. */
  readonly byFirst: ReadonlyMap<string, readonly Placed<Rule>[]>
  /** Rules that begin with `*` or `:name`. */
  readonly floating: readonly Placed<Rule>[]
  readonly size: number
}

interface Placed<Rule> {
  readonly rule: Rule
  readonly order: number
}

export function indexRules<Rule>(
  rules: readonly Rule[],
  patternOf: (rule: Rule) => PathPattern,
): RuleIndex<Rule> {
  const byFirst = new Map<string, Placed<Rule>[]>()
  const floating: Placed<Rule>[] = []
  for (const [order, rule] of rules.entries()) {
    const first = firstSegment(patternOf(rule))
    const known = first === null ? floating : byFirst.get(first)
    if (known !== undefined) known.push({ rule, order })
    else if (first !== null) byFirst.set(first, [{ rule, order }])
  }
  return { byFirst, floating, size: rules.length }
}

/** Visits the rules that may match a path with this first segment, in file order, until `visit` returns true. */
export function visitRules<Rule>(
  { byFirst, floating }: RuleIndex<Rule>,
  first: string,
  visit: (rule: Rule) => boolean,
): void {
  const literal = byFirst.get(first) ?? []
  let i = 0
  let j = 0
  for (;;) {
    const a = literal[i]
    const b = floating[j]
    const isLiteral = a !== undefined && (b === undefined || a.order < b.order)
    const next = isLiteral ? a : b
    if (next === undefined || visit(next.rule)) return
    if (isLiteral) i++
    else j++
  }
}

/** Null if any segment matches. */
function firstSegment({ head, tail }: PathPattern): string | null {
  const [first] = head
  if (first === undefined) return tail === null ? '' : null
  return first.kind === 'literal' ? first.text : null
}
