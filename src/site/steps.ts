/** Work that pauses after each of its small steps, so that its caller may let others go first. */
export type Steps<Result> = Generator<undefined, Result>

/** For a caller that has its thread to itself. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}

/** Says after which lines of a file to pause. A line takes some time, and more the longer it is. */
export class LinePace {
  #chars = 0

  isPauseDue(line: string | null): boolean {
    this.#chars += (line?.length ?? 0) + charsOfEmptyLine
    if (this.#chars < charsPerStep) return false
    this.#chars = 0
    return true
  }
}

// Measured: the slowest rules take 0.2 ms for 1 KiB, an empty line no longer than 16 characters of them.
const charsPerStep = 4 * 1024
const charsOfEmptyLine = 16
