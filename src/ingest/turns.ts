/** Lets one at a time work, in order of arrival. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** What the work results in, when its turn has come. The next has its turn however this one ends. */
  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const mine = this.#last.then(work)
    this.#last = mine.catch(() => undefined)
    return mine
  }
}
