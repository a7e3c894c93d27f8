/** Counts by label, as plain data that can be sent to another thread. */
export type Counts<Label extends string = string> = Readonly<Partial<Record<Label, number>>>

/**
 * Counts what happens, by one label. The type lists the labels: each is a series of its own for as long as the process
 * runs, so a label never comes from outside.
 */
export class Tally<Label extends string> {
  readonly #counts: Partial<Record<Label, number>> = {}

  add(label: Label, by = 1): void {
    this.#counts[label] = (this.#counts[label] ?? 0) + by
  }

  /** The live counts: they change while requests are counted. */
  get counts(): Counts<Label> {
    return this.#counts
  }
}
