import { siteFilesMax } from '#site/limits.ts'
import { inSlices } from './in-slices.ts'
import { inDatabase, inPrivateFolder, type KeptFiles } from './kept-files.ts'
import { type PickedFile, pickedOf } from './picked-file.ts'

/** The default site limit of the service three times over; browsers may have less room. */
const keptBytesMax = 1_000_000_000
const keptFilesMax = siteFilesMax * 2
/** As long as an open deploy. */
const keptMsMax = 24 * 60 * 60_000

/** What is known of a publish that has not ended. */
export interface KeptFacts {
  readonly siteName: string | null
  readonly deployId: string | null
}

export interface KeptDrop extends KeptFacts {
  readonly picked: readonly PickedFile[]
}

export type KeepOutcome = 'kept' | 'too-large' | 'no-room' | 'unavailable'

interface KeptIndex extends KeptFacts {
  readonly format: 1
  readonly keptAt: number
  readonly files: readonly (readonly [path: string, bytes: number])[]
}

interface KeptOptions {
  /** The first one in which the browser keeps files has what was dropped. */
  readonly stores?: readonly KeptFiles[]
  readonly storage?: Pick<StorageManager, 'estimate'> | undefined
  readonly now?: () => number
}

/**
 * What was dropped, in the browser's storage: it waits there over the sign-in, a denied consent and a reload,
 * for a day. One at a time; only this browser profile has it. Methods never throw: without it, everything else works.
 */
export class KeptDrops {
  readonly #stores: readonly KeptFiles[]
  readonly #storage: KeptOptions['storage']
  readonly #now: () => number
  #last: Promise<unknown> = Promise.resolve()

  constructor({
    stores = [inPrivateFolder(), inDatabase()],
    storage = globalThis.navigator?.storage,
    now = Date.now,
  }: KeptOptions = {}) {
    this.#stores = stores
    this.#storage = storage
    this.#now = now
  }

  /** Takes the place of what was kept before. */
  keep(picked: readonly PickedFile[], facts: KeptFacts): Promise<KeepOutcome> {
    return this.#inTurn(() => this.#keep(picked, facts), 'unavailable')
  }

  /** Null: nothing, or nothing any more. */
  read(): Promise<KeptDrop | null> {
    return this.#inTurn(() => this.#read(), null)
  }

  /** Nothing happens where nothing is kept. */
  note(facts: Partial<KeptFacts>): Promise<void> {
    return this.#inTurn(() => this.#note(facts), undefined)
  }

  clear(): Promise<void> {
    return this.#inTurn(() => this.#clear(), undefined)
  }

  #inTurn<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
    const result = this.#last.then(work).catch(() => otherwise)
    this.#last = result
    return result
  }

  async #keep(picked: readonly PickedFile[], facts: KeptFacts): Promise<KeepOutcome> {
    const bytes = picked.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes > keptBytesMax || picked.length > keptFilesMax) return 'too-large'
    await this.#clear()
    // Not everywhere: storage says then when it is full.
    const estimate = await this.#storage?.estimate?.().catch(() => null)
    const { quota = Number.POSITIVE_INFINITY, usage = 0 } = estimate ?? {}
    if (bytes > quota - usage) return 'no-room'
    const content = await wholeOf(picked)
    const files = picked.map(({ path, bytes }) => [path, bytes] as const)
    const index: KeptIndex = { format: 1, keptAt: this.#now(), ...facts, files }
    for (const store of this.#stores) {
      try {
        await store.write(contentName, content)
        // Last: without it there is nothing.
        await writeIndex(store, index)
        return 'kept'
      } catch (error) {
        await this.#clear()
        if (error instanceof DOMException && error.name === 'QuotaExceededError') return 'no-room'
      }
    }
    return 'unavailable'
  }

  async #read(): Promise<KeptDrop | null> {
    const found = await this.#find()
    if (found === null) return null
    const { index, content } = found
    const total = index.files.reduce((sum, [, bytes]) => sum + bytes, 0)
    const age = this.#now() - index.keptAt
    if (total !== content.size || age > keptMsMax || age < 0) {
      await this.#clear()
      return null
    }
    let at = 0
    const picked = index.files.map(([path, bytes]) => {
      at += bytes
      return pickedOf(path, content.slice(at - bytes, at))
    })
    return { picked, siteName: index.siteName, deployId: index.deployId }
  }

  async #note(facts: Partial<KeptFacts>): Promise<void> {
    const found = await this.#find()
    if (found !== null) await writeIndex(found.store, { ...found.index, ...facts })
  }

  async #find() {
    for (const store of this.#stores) {
      const stored = await store.read(indexName).catch(() => null)
      if (stored === null) continue
      try {
        const index: KeptIndex = JSON.parse(await stored.text())
        const content = index.format === 1 ? await store.read(contentName) : null
        return content === null ? null : { store, index, content }
      } catch {
        // Half written, or by a later version of this page.
        await this.#clear()
        return null
      }
    }
    return null
  }

  async #clear(): Promise<void> {
    for (const store of this.#stores) {
      for (const name of [indexName, contentName]) await store.remove(name).catch(() => undefined)
    }
  }
}

/** The files after each other. Chromium looks each up on the disk when a blob is made of it, while the page waits. */
async function wholeOf(picked: readonly PickedFile[]): Promise<Blob> {
  const files = await Promise.all(picked.map((file) => file.open()))
  const groups = Array.from({ length: Math.ceil(files.length / groupFiles) }, (_, at) =>
    files.slice(at * groupFiles, (at + 1) * groupFiles),
  )
  const parts: Blob[] = []
  await inSlices(groups, (group) => void parts.push(new Blob(group)))
  return new Blob(parts)
}

const groupFiles = 25

/** Of this page. */
export const keptDrops = new KeptDrops()

const indexName = 'dropped.json'
const contentName = 'dropped'

const writeIndex = (store: KeptFiles, index: KeptIndex) =>
  store.write(indexName, new Blob([JSON.stringify(index)]))
