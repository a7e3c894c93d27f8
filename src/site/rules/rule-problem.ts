import { ruleProblemsMax } from '#site/limits.ts'

/** What is wrong with one line that a site's owner wrote; the other lines count nevertheless. */
export interface RuleProblem {
  /** From 1. */
  readonly line: number
  readonly message: string
}

/** The problems of a file: the first by their lines, and how many more there are. */
export class RuleProblems {
  /** One more than are shown: the others begin at its line. */
  readonly #first: RuleProblem[] = []
  #count = 0

  add(line: number, message: string): void {
    this.#count++
    const isFull = this.#first.length > ruleProblemsMax
    if (isFull && line >= (this.#first.at(-1)?.line ?? 0)) return
    const at = this.#first.findLastIndex((known) => known.line <= line) + 1
    this.#first.splice(at, 0, { line, message })
    if (isFull) this.#first.pop()
  }

  /** In the order of their lines; when there are more than the limit, one more says how many. */
  list(): RuleProblem[] {
    const shown = this.#first.slice(0, ruleProblemsMax)
    const next = this.#first[ruleProblemsMax]
    if (next === undefined) return shown
    const message = `${this.#count - ruleProblemsMax} more problems from this line on`
    return [...shown, { line: next.line, message }]
  }
}
