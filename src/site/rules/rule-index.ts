import type { PathPattern } from './path-pattern.ts'

/** Rules in file order, indexed by their first or last segment. */
export interface RuleIndex<Rule> {
  /** By literal first segment; the empty string for rules for the root alone. */
  readonly byFirst: ReadonlyMap<string, readonly Placed<Rule>[]>
  /** Rules that begin with `*` or `:name`, by literal last segment. */
  readonly byLast: ReadonlyMap<string, readonly Placed<Rule>[]>
  /** Rules that begin and end with `*` or `:name`. */
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
  const byLast = new Map<string, Placed<Rule>[]>()
  const floating: Placed<Rule>[] = []
  for (const [order, rule] of rules.entries()) {
    const { head, tail } = patternOf(rule)
    const isForRoot = head.length === 0 && tail === null
    const first = isForRoot ? '' : (head[0] ?? null)
    const last = (tail ?? head).at(-1) ?? null
    if (first !== null) listIn(byFirst, first).push({ rule, order })
    else if (last !== null) listIn(byLast, last).push({ rule, order })
    else floating.push({ rule, order })
  }
  return { byFirst, byLast, floating, size: rules.length }
}

function listIn<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

/** Visits the rules that may match a path with these segments, in file order, until `visit` returns true. */
export function visitRules<Rule>(
  { byFirst, byLast, floating }: RuleIndex<Rule>,
  segments: readonly string[],
  visit: (rule: Rule) => boolean,
): void {
  const firsts = byFirst.get(segments[0] ?? '') ?? []
  const lasts = byLast.get(segments.at(-1) ?? '') ?? []
  const lists = [firsts, lasts, floating].filter(({ length }) => length > 0)
  const positions = lists.map(() => 0)
  for (;;) {
    let next: Placed<Rule> | undefined
    let from = 0
    for (let i = 0; i < lists.length; i++) {
      const placed = lists[i]?.[positions[i] ?? 0]
      if (placed !== undefined && (next === undefined || placed.order < next.order)) {
        next = placed
        from = i
      }
    }
    if (next === undefined || visit(next.rule)) return
    positions[from] = (positions[from] ?? 0) + 1
  }
}
