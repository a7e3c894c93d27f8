interface Counted {
  /** Since the last `take`. */
  unsaved: number
  /** Of the day, as far as this process has seen it. */
  ofDay: number
}

interface NameCount {
  /** Empty: others, which are not told apart. */
  readonly value: string
  readonly count: number
}

/**
 * How often each name was seen on one day: at most `max` names, and the others together. When there is no place, the others are watched
 * (Misra and Gries), and one that was seen twice as often as the least counted name takes its place: whoever makes up names for a site
 * does not keep out those that visitors really come from. Twice, so that each place changes hands as often as a count can double.
 */
export class NameCounts {
  readonly #max: number
  readonly #names = new Map<string, Counted>()
  #othersUnsaved = 0
  /** Others, and how often each was seen at least; no more than there are names. */
  readonly #watched = new Map<string, number>()
  /** No name was counted less often. */
  #leastOfDay = 0

  constructor(max: number) {
    this.#max = max
  }

  /** `takesPlace`: whether there may be a further name; called only if there is a new one. */
  count(name: string, takesPlace: () => boolean): void {
    const known = this.#names.get(name)
    if (known !== undefined) {
      known.unsaved++
      known.ofDay++
    } else if (this.#names.size < this.#max && takesPlace()) {
      this.#add(name, { unsaved: 1, ofDay: 1 })
    } else this.#countOther(name)
  }

  /** What was counted since the last call. */
  take(): NameCount[] {
    const taken: NameCount[] = []
    for (const [value, counted] of this.#names) {
      if (counted.unsaved === 0) continue
      taken.push({ value, count: counted.unsaved })
      counted.unsaved = 0
    }
    if (this.#othersUnsaved > 0) taken.push({ value: '', count: this.#othersUnsaved })
    this.#othersUnsaved = 0
    return taken
  }

  /** A name that has lost its place counts as others. */
  putBack({ count, value }: NameCount): void {
    const known = this.#names.get(value)
    if (known !== undefined) known.unsaved += count
    else if (value === '' || this.#names.size >= this.#max) this.#othersUnsaved += count
    else this.#add(value, { unsaved: count, ofDay: count })
  }

  /** Another day begins. */
  forget(): void {
    this.#names.clear()
    this.#watched.clear()
    this.#leastOfDay = 0
  }

  #add(name: string, counted: Counted): void {
    this.#names.set(name, counted)
    this.#leastOfDay = Math.min(this.#leastOfDay, counted.ofDay)
  }

  #countOther(name: string): void {
    const seen = (this.#watched.get(name) ?? 0) + 1
    if (seen >= 2 * this.#leastOfDay && this.#takePlaceOfLeast(name, seen)) return
    this.#othersUnsaved++
    if (seen > 1 || this.#watched.size < this.#names.size) this.#watched.set(name, seen)
    else this.#forgetOnceOfWatched()
  }

  #takePlaceOfLeast(name: string, seen: number): boolean {
    const [least, counted] = this.#least()
    this.#leastOfDay = counted.ofDay
    if (seen < 2 * counted.ofDay) return false
    this.#names.delete(least)
    this.#othersUnsaved += counted.unsaved
    this.#watched.delete(name)
    this.#names.set(name, { unsaved: 1, ofDay: seen })
    return true
  }

  /** Infinity, if there is none. */
  #least(): readonly [name: string, counted: Counted] {
    let least: readonly [string, Counted] = ['', { unsaved: 0, ofDay: Infinity }]
    for (const entry of this.#names) if (entry[1].ofDay < least[1].ofDay) least = entry
    return least
  }

  /** The cost is that of the calls that have added as much. */
  #forgetOnceOfWatched(): void {
    for (const [name, seen] of this.#watched) {
      if (seen === 1) this.#watched.delete(name)
      else this.#watched.set(name, seen - 1)
    }
  }
}
