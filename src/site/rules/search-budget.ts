import { headerSearchesMax } from '#site/limits.ts'

/** The searches that all paths of a site's headers share, those of its settings and those of its `_headers`. */
export class SearchBudget {
  #left = headerSearchesMax

  /** What to tell the owner of a path that takes more searches than are left: it is not used. Null for all others. */
  spend(searches: number): string | null {
    if (searches > this.#left) return tooManySearches
    this.#left -= searches
    return null
  }
}

const tooManySearches = `more than ${headerSearchesMax} pieces of text between two *, with those of the paths before; this path is not used`
