import type { KeptDrops } from './files/kept-drop.ts'

/** Loads the store for drops on demand: most pages do without it. Where it cannot be loaded, nothing is kept. */
export async function withKeptDrops<Result>(
  work: (drops: KeptDrops) => Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  const loaded = await import('./files/kept-drop.ts').catch(() => null)
  return loaded === null ? otherwise : await work(loaded.keptDrops)
}

/** What was dropped and not published goes with the account. Never throws. */
export const forgetDropped = (): Promise<void> => withKeptDrops((drops) => drops.clear(), undefined)
