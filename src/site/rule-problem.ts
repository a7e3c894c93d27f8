/** What is wrong with one line that a site's owner wrote; the other lines count nevertheless. */
export interface RuleProblem {
  /** From 1. */
  readonly line: number
  readonly message: string
}
