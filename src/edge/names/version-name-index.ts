import type { NameHash } from './name-hashes.ts'

/** A name that leads to a version or a preview, and where it hangs. */
interface PlacedName {
  readonly name: NameHash
  /** The label of its site. */
  readonly site: NameHash
  /** The name that a preview is below; of a version, its site's label. */
  readonly below: NameHash
}

/** The known names of versions and previews, by their sites and by the names that they are below: no look walks over all. */
export class VersionNameIndex {
  readonly #places = new Map<NameHash, Omit<PlacedName, 'name'>>()
  /** A name alone is most of them. */
  readonly #namesAt = new Map<NameHash, NameHash | Set<NameHash>>()

  add({ name, site, below }: PlacedName): void {
    this.delete(name)
    this.#places.set(name, { site, below })
    this.#addAt(site, name)
    if (below !== site) this.#addAt(below, name)
  }

  delete(name: NameHash): void {
    const place = this.#places.get(name)
    if (place === undefined) return
    this.#places.delete(name)
    this.#deleteAt(place.site, name)
    if (place.below !== place.site) this.#deleteAt(place.below, name)
  }

  /** The names of the site with this label, or below this name. */
  at(labelOrHost: NameHash): Iterable<NameHash> {
    const names = this.#namesAt.get(labelOrHost) ?? []
    return typeof names === 'number' ? [names] : names
  }

  #addAt(at: NameHash, name: NameHash): void {
    const names = this.#namesAt.get(at)
    if (names === undefined) this.#namesAt.set(at, name)
    else if (typeof names === 'number') this.#namesAt.set(at, new Set([names, name]))
    else names.add(name)
  }

  #deleteAt(at: NameHash, name: NameHash): void {
    const names = this.#namesAt.get(at)
    if (names === name) this.#namesAt.delete(at)
    else if (names instanceof Set && names.delete(name) && names.size === 0)
      this.#namesAt.delete(at)
  }
}
