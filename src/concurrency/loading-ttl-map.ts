import { TtlMap, type TtlOptions } from './lru-map.ts'
import { SingleFlight } from './single-flight.ts'

/** A read-through `TtlMap`: concurrent callers share one load, and its value stays for the map's time. */
export class LoadingTtlMap<Value> {
  readonly #load: (key: string) => Promise<Value>
  readonly #known: TtlMap<string, Promise<Value>>
  readonly #loading = new SingleFlight<string, Value>()

  constructor(load: (key: string) => Promise<Value>, options: TtlOptions) {
    this.#load = load
    this.#known = new TtlMap(options)
  }

  get(key: string): Promise<Value> {
    return this.#known.get(key) ?? this.#start(key)
  }

  forget(key: string): void {
    this.#loading.forget(key)
    this.#known.delete(key)
  }

  forgetAll(): void {
    this.#loading.forgetAll()
    this.#known.clear()
  }

  #start(key: string): Promise<Value> {
    return this.#loading.run(key, async (isCurrent) => {
      const value = await this.#load(key)
      // Forgotten meanwhile: callers from before the change get this value, later ones do not.
      if (isCurrent()) this.#known.set(key, Promise.resolve(value))
      return value
    })
  }
}
