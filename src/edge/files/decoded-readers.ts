import { linkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { readNamesIn } from './read-names.ts'
import { slowestReadMs } from './slowest-read.ts'

export interface DecodedReader {
  /** What the visitor is counted as. */
  readonly client: string
  /** Of all that is read of the file, or of the part. */
  readonly bytes: number
}

interface ReadFile {
  readonly path: string
  readonly bytes: number
}

interface DecodedReadersOptions {
  readonly dir: string
  /** What the files that one client reads may take together; a single one may be larger. */
  readonly clientBytesMax: number
  /** How long the slowest may take to read so many bytes. */
  readonly slowestMs?: (bytes: number) => number
}

interface Reader extends DecodedReader {
  readonly file: ReadFile
  readonly name: string
  readonly began: number
  /** As the system has said last; true before it was asked. */
  isOpen: boolean
}

/** After so many new readers the system is asked which of them are still there. */
const newReadersMax = 256
/** Bun opens a file a moment after it was given an answer with it. */
const openingMsMax = 10_000

/**
 * The readers of decoded files. Each has a name of its own for the file, a hard link: so the system can say which of
 * them still read.
 */
export class DecodedReaders {
  readonly #dir: string
  readonly #clientBytesMax: number
  readonly #slowestMs: (bytes: number) => number
  readonly #readers = new Set<Reader>()
  readonly #looking = new SingleFlight<'readers', void>()
  #newReaders = 0

  constructor({ dir, clientBytesMax, slowestMs = slowestReadMs }: DecodedReadersOptions) {
    this.#dir = dir
    this.#clientBytesMax = clientBytesMax
    this.#slowestMs = slowestMs
  }

  /** So many have begun since the last look that another one is due. */
  get isLookDue(): boolean {
    return this.#newReaders >= newReadersMax
  }

  /** Whether this client may read one more file of so many bytes; `path` is that of one that it may be reading. */
  mayRead(client: string, bytes: number, path?: string): boolean {
    const files = new Set<ReadFile>()
    for (const reader of this.#readers) {
      if (reader.client === client && reader.isOpen && reader.file.path !== path) {
        files.add(reader.file)
      }
    }
    const others = files.values().reduce((sum, file) => sum + file.bytes, 0)
    return others === 0 || others + bytes <= this.#clientBytesMax
  }

  /** The name under which this reader finds the file; null for a client who reads too much already. */
  begin(file: ReadFile, { client, bytes }: DecodedReader): string | null {
    if (!this.mayRead(client, file.bytes, file.path)) return null
    const name = crypto.randomUUID()
    const path = join(this.#dir, name)
    linkSync(file.path, path)
    this.#readers.add({ client, bytes, file, name, began: performance.now(), isOpen: true })
    this.#newReaders++
    return path
  }

  /** Asks the system who still reads; however many call this, it is asked once at a time. */
  look(): Promise<void> {
    return this.#looking.run('readers', () => this.#look())
  }

  /** `slowly`: nobody but readers who have had more time than the slowest may take. As of the last look. */
  stateOf(file: ReadFile): 'unread' | 'read' | 'slowly' {
    const open = [...this.#readers].filter((reader) => reader.file === file && reader.isOpen)
    if (open.length === 0) return 'unread'
    const now = performance.now()
    const isSlow = ({ began, bytes }: Reader) => now - began > this.#slowestMs(bytes)
    return open.every(isSlow) ? 'slowly' : 'read'
  }

  /** Removes all names for this file but its own. */
  async forget(file: ReadFile): Promise<void> {
    for (const reader of this.#readers) if (reader.file === file) await this.#drop(reader)
  }

  async #look(): Promise<void> {
    this.#newReaders = 0
    const lookedAt = performance.now()
    const names = await readNamesIn(this.#dir)
    for (const reader of this.#readers) {
      reader.isOpen = names.has(reader.name) || reader.began >= lookedAt
      if (!reader.isOpen && lookedAt - reader.began > openingMsMax) await this.#drop(reader)
    }
  }

  async #drop(reader: Reader): Promise<void> {
    this.#readers.delete(reader)
    await rm(join(this.#dir, reader.name), { force: true })
  }
}
