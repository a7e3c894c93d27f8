import { siteFilesMax } from '#site/limits.ts'
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
  readonly storage?: StorageManager
  readonly now?: () => number
}

/**
 * What was dropped, in the browser's private file system: it waits there over the sign-in, a denied consent and a reload,
 * for a day. One at a time; only this browser profile has it. Methods never throw: without it, everything else works.
 */
export class KeptDrops {
  readonly #storage: StorageManager | undefined
  readonly #now: () => number
  #last: Promise<unknown> = Promise.resolve()

  constructor({ storage = globalThis.navigator?.storage, now = Date.now }: KeptOptions = {}) {
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
    const storage = this.#storage
    // Not over plain http, and not in some private windows.
    if (storage?.getDirectory === undefined) return 'unavailable'
    await this.#clear()
    const { quota = 0, usage = 0 } = await storage.estimate()
    if (bytes > quota - usage) return 'no-room'
    try {
      const folder = await storage.getDirectory()
      await write(folder, contentName, await wholeOf(picked))
      const files = picked.map(({ path, bytes }) => [path, bytes] as const)
      // Last: without it there is nothing.
      await writeIndex(folder, { format: 1, keptAt: this.#now(), ...facts, files })
      return 'kept'
    } catch (error) {
      await this.#clear()
      if (!(error instanceof DOMException)) throw error
      return error.name === 'QuotaExceededError' ? 'no-room' : 'unavailable'
    }
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
    if (found !== null) await writeIndex(found.folder, { ...found.index, ...facts })
  }

  async #find() {
    const folder = await this.#storage?.getDirectory?.()
    if (folder === undefined) return null
    try {
      const index: KeptIndex = JSON.parse(await (await fileOf(folder, indexName)).text())
      return index.format === 1
        ? { folder, index, content: await fileOf(folder, contentName) }
        : null
    } catch (error) {
      if (error instanceof DOMException && error.name === 'NotFoundError') return null
      // Half written, or by a later version of this page.
      await this.#clear()
      return null
    }
  }

  async #clear(): Promise<void> {
    const folder = await this.#storage?.getDirectory?.()
    for (const name of [indexName, contentName]) {
      await folder?.removeEntry(name).catch(() => undefined)
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

async function fileOf(folder: FileSystemDirectoryHandle, name: string): Promise<File> {
  return await (await folder.getFileHandle(name)).getFile()
}

async function write(folder: FileSystemDirectoryHandle, name: string, content: Blob | string) {
  const file = await folder.getFileHandle(name, { create: true })
  // Takes its place when it is closed, whole.
  const writable = await file.createWritable()
  await writable.write(content)
  await writable.close()
}

const writeIndex = (folder: FileSystemDirectoryHandle, index: KeptIndex) =>
  write(folder, indexName, JSON.stringify(index))
