import { siteFilesMax } from '#site/limits.ts'
import { reportPageError } from '#web/shell/page-errors.ts'
import { type DropStore, inDatabase } from './drop-store.ts'
import { inSlices } from './in-slices.ts'
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
  readonly store?: DropStore
  readonly storage?: Pick<StorageManager, 'estimate'> | undefined
  readonly now?: () => number
}

/**
 * What was dropped, in the browser's storage: it waits there over the sign-in, a denied consent and a reload,
 * for a day. One at a time; only this browser profile has it. Methods never throw: without it, everything else works.
 */
export class KeptDrops {
  readonly #store: DropStore
  readonly #storage: KeptOptions['storage']
  readonly #now: () => number
  #last: Promise<unknown> = Promise.resolve()

  constructor({
    store = inDatabase(),
    storage = globalThis.navigator?.storage,
    now = Date.now,
  }: KeptOptions = {}) {
    this.#store = store
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
    const change = (index: unknown) => ({ ...(index as KeptIndex), ...facts })
    return this.#inTurn(() => this.#store.change(change), undefined)
  }

  clear(): Promise<void> {
    return this.#inTurn(() => this.#store.clear(), undefined)
  }

  #inTurn<Result>(work: () => Promise<Result>, otherwise: Result): Promise<Result> {
    const result = this.#last.then(work).catch((error) => {
      // A browser that keeps nothing rejects with a DOMException.
      if (!(error instanceof DOMException)) reportPageError(error)
      return otherwise
    })
    this.#last = result
    return result
  }

  async #keep(picked: readonly PickedFile[], facts: KeptFacts): Promise<KeepOutcome> {
    const bytes = picked.reduce((sum, file) => sum + file.bytes, 0)
    if (bytes > keptBytesMax || picked.length > keptFilesMax) return 'too-large'
    await this.#store.clear()
    // Some browsers have no estimate; a write then fails with QuotaExceededError.
    const estimate = await this.#storage?.estimate?.().catch(() => null)
    const { quota = Number.POSITIVE_INFINITY, usage = 0 } = estimate ?? {}
    if (bytes > quota - usage) return 'no-room'
    const content = await wholeOf(picked)
    const files = picked.map(({ path, bytes }) => [path, bytes] as const)
    const index: KeptIndex = { format: 1, keptAt: this.#now(), ...facts, files }
    try {
      await this.#store.write({ index, content })
      return 'kept'
    } catch (error) {
      if (error instanceof DOMException && error.name === 'QuotaExceededError') return 'no-room'
      throw error
    }
  }

  async #read(): Promise<KeptDrop | null> {
    const stored = await this.#store.read()
    if (stored === null) return null
    const { content } = stored
    const index = stored.index as KeptIndex
    const age = this.#now() - index.keptAt
    // An index of a later version of this page has another format.
    const isOurs = index.format === 1 && age >= 0 && age <= keptMsMax
    if (!isOurs || index.files.reduce((sum, [, bytes]) => sum + bytes, 0) !== content.size) {
      await this.#store.clear()
      return null
    }
    let at = 0
    const picked = index.files.map(([path, bytes]) => {
      at += bytes
      return pickedOf(path, content.slice(at - bytes, at))
    })
    return { picked, siteName: index.siteName, deployId: index.deployId }
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
