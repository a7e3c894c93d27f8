import type { VersionName } from './version-names.ts'

type Place = Pick<VersionName, 'siteLabel' | 'below'>

/** The known names of versions and previews, by their sites and by the names that they are below: no look walks over all. */
export class VersionNameIndex {
  readonly #places = new Map<string, Place>()
  readonly #namesAt = new Map<string, Set<string>>()

  add({ name, siteLabel, below }: VersionName): void {
    this.delete(name)
    const place = { siteLabel, below }
    this.#places.set(name, place)
    for (const at of keysOf(place)) {
      const names = this.#namesAt.get(at) ?? new Set()
      this.#namesAt.set(at, names.add(name))
    }
  }

  delete(name: string): void {
    const place = this.#places.get(name)
    if (place === undefined) return
    this.#places.delete(name)
    for (const at of keysOf(place)) {
      const names = this.#namesAt.get(at)
      names?.delete(name)
      if (names?.size === 0) this.#namesAt.delete(at)
    }
  }

  /** The names of the site with this label, or below this name. */
  at(labelOrHost: string): Iterable<string> {
    return this.#namesAt.get(labelOrHost) ?? []
  }

  clear(): void {
    this.#places.clear()
    this.#namesAt.clear()
  }
}

const keysOf = ({ siteLabel, below }: Place): Set<string> =>
  new Set([siteLabel, below ?? siteLabel])
