import { features } from 'web-features'

/** The versions of the engines that have a feature; `high` when all of them had it two and a half years before the package. */
export interface Status {
  readonly baseline: 'high' | 'low' | boolean
  readonly support: Readonly<Record<string, string>>
}

/** By key of the browser compatibility data, such as `api.URL.parse_static`. */
export const statuses: ReadonlyMap<string, Status> = new Map(
  Object.values(features)
    .map((feature) => (feature.kind === 'feature' ? feature.status.by_compat_key : undefined))
    .flatMap((byKey) => Object.entries(byKey ?? {}))
    .map(([key, { baseline, support }]) => [key, { baseline, support: { ...support } }]),
)

/** Keys that the data does not have are not said to be new. */
export const isNew = (key: string): boolean => (statuses.get(key)?.baseline ?? 'high') !== 'high'

/** What names in a program can mean. */
export class Names {
  readonly #keys = new Map<string, string>()

  /** Of several features with one name the oldest is kept: a program may mean that one. */
  add(name: string, key: string): void {
    const known = this.#keys.get(name)
    if (known === undefined || ageOf(key) < ageOf(known)) this.#keys.set(name, key)
  }

  get(name: string): string | undefined {
    return this.#keys.get(name)
  }
}

const ageOf = (key: string): number => {
  const { baseline = false, support = {} } = statuses.get(key) ?? {}
  const chrome = Number.parseFloat(support['chrome'] ?? '')
  return (baseline === 'high' ? 0 : 1e4) + (Number.isNaN(chrome) ? 1e3 : chrome)
}
