import { linkSync } from 'node:fs'
import { readdir, readlink, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SingleFlight } from '#concurrency/single-flight.ts'
import { timeSlices } from '#concurrency/yield-event-loop.ts'
import { codeOf } from '#observe/code-of.ts'
import { slowestReadMs } from './slowest-read.ts'

export interface DecodedReader {
  /** The visitor's key for limits. */
  readonly client: string
  /** Of the file, or of the requested part. */
  readonly bytes: number
}

export interface ReadFile {
  readonly path: string
  readonly bytes: number
}

interface DecodedReadersOptions {
  readonly dir: string
  /** Total size of the files that one client reads; a single file may be larger. */
  readonly clientBytesMax: number
  /** How long the slowest reader may take for this many bytes. */
  readonly slowestMs?: (bytes: number) => number
}

interface Reader extends DecodedReader {
  readonly file: ReadFile
  readonly name: string
  readonly began: number
  /** As of the last refresh; true until then. */
  isOpen: boolean
}

/** New readers after which a refresh is due. */
const newReadersMax = 256
/** Bun opens a file shortly after it was given a response with it. */
const openingMsMax = 10_000

/**
 * The readers of decoded files. Each reads through its own hard link, so that the system's open files show which
 * of them still read.
 */
export class DecodedReaders {
  readonly #dir: string
  readonly #clientBytesMax: number
  readonly #slowestMs: (bytes: number) => number
  readonly #readers = new Set<Reader>()
  readonly #refreshing = new SingleFlight<'readers', void>()
  #newReaders = 0

  constructor({ dir, clientBytesMax, slowestMs = slowestReadMs }: DecodedReadersOptions) {
    this.#dir = dir
    this.#clientBytesMax = clientBytesMax
    this.#slowestMs = slowestMs
  }

  get isRefreshDue(): boolean {
    return this.#newReaders >= newReadersMax
  }

  /** Whether this client may read one more file of this size; `path` is a file that it may be reading already. */
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

  /** Creates a path to the file for this reader; null if the client reads too much already. */
  begin(file: ReadFile, { client, bytes }: DecodedReader): string | null {
    if (!this.mayRead(client, file.bytes, file.path)) return null
    const name = crypto.randomUUID()
    const path = join(this.#dir, name)
    linkSync(file.path, path)
    this.#readers.add({ client, bytes, file, name, began: performance.now(), isOpen: true })
    this.#newReaders++
    return path
  }

  /** Updates which readers still read; concurrent calls share one scan. */
  refresh(): Promise<void> {
    return this.#refreshing.run('readers', () => this.#refresh())
  }

  /** `slowly`: all readers have exceeded the time of the slowest. As of the last refresh. */
  stateOf(file: ReadFile): 'unread' | 'read' | 'slowly' {
    const open = [...this.#readers].filter((reader) => reader.file === file && reader.isOpen)
    if (open.length === 0) return 'unread'
    const now = performance.now()
    const isSlow = ({ began, bytes }: Reader) => now - began > this.#slowestMs(bytes)
    return open.every(isSlow) ? 'slowly' : 'read'
  }

  /** Removes the readers' links to this file. */
  async forget(file: ReadFile): Promise<void> {
    for (const reader of this.#readers) if (reader.file === file) await this.#drop(reader)
  }

  async #refresh(): Promise<void> {
    this.#newReaders = 0
    const refreshedAt = performance.now()
    const names = await readNamesIn(this.#dir)
    for (const reader of this.#readers) {
      reader.isOpen = names.has(reader.name) || reader.began >= refreshedAt
      if (!reader.isOpen && refreshedAt - reader.began > openingMsMax) await this.#drop(reader)
    }
  }

  async #drop(reader: Reader): Promise<void> {
    this.#readers.delete(reader)
    await rm(join(this.#dir, reader.name), { force: true })
  }
}

const openFiles = '/proc/self/fd'

/**
 * The names of the files in this folder that this process has open: Bun opens a file for each response with it and
 * closes it at the end, without another notification. Linux only; empty elsewhere.
 */
async function readNamesIn(dir: string): Promise<Set<string>> {
  const names = new Set<string>()
  if (process.platform !== 'linux') return names
  const folder = await realpath(dir)
  const slice = timeSlices()
  for (const descriptor of await readdir(openFiles)) {
    const path = await linkOf(join(openFiles, descriptor))
    if (path !== null && dirname(path) === folder) names.add(basename(path))
    await slice()
  }
  return names
}

async function linkOf(path: string): Promise<string | null> {
  try {
    return await readlink(path)
  } catch (error) {
    // Closed in the meantime.
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}
