/** The engines of today's browsers: Chrome and Edge, Firefox, Safari. */
export const engines = ['chromium', 'firefox', 'webkit'] as const

export type Engine = (typeof engines)[number]

/** Runs in the page: its source is sent there, so it uses its arguments and what pages have. */
export type InPage<Args extends unknown[], Result> = (...args: Args) => Result | Promise<Result>

type Found<Args extends unknown[]> = InPage<Args, Element | null>

/** A tab of a browser of its own, 1280 pixels wide, with what the protocols of all engines can do. */
export interface Tab extends AsyncDisposable {
  /** Resolves when the page is loaded. */
  goto(url: string): Promise<void>
  /** Arguments and result are values of JSON. */
  run<Args extends unknown[], Result>(work: InPage<Args, Result>, ...args: Args): Promise<Result>
  /** Presses the found element, as a pointer does. Rejects where none is found. */
  click<Args extends unknown[]>(find: Found<Args>, ...args: Args): Promise<void>
  /** Types into the found field, in place of what is in it. Rejects where none is found. */
  type<Args extends unknown[]>(text: string, find: Found<Args>, ...args: Args): Promise<void>
}
