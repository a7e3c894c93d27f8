import { wholeBodyBytesMax } from '#site/limits.ts'

interface CachedFile {
  readonly bytes: number
  usedAt: number
  /** As it was opened last: it is read from the disk for as long as somebody has it. */
  opened: WeakRef<Blob> | null
}

/** A response opens the file that it sends a moment after `open`. */
const openedSoonMs = 10_000

/** Which copies are on the disk, least recently used first, and the bytes that they and reservations take. */
export class CachedFiles {
  readonly #files = new Map<string, CachedFile>()
  readonly #now: () => number
  #bytes = 0

  constructor(now: () => number) {
    this.#now = now
  }

  get count(): number {
    return this.#files.size
  }

  get bytes(): number {
    return this.#bytes
  }

  get hashes(): string[] {
    return [...this.#files.keys()]
  }

  has(hash: string): boolean {
    return this.#files.has(hash)
  }

  add(hash: string, bytes: number, usedAt = this.#now()): void {
    this.drop(hash)
    this.#files.set(hash, { bytes, usedAt, opened: null })
    this.#bytes += bytes
  }

  drop(hash: string): void {
    this.#bytes -= this.#files.get(hash)?.bytes ?? 0
    this.#files.delete(hash)
  }

  /** Opens a copy by `open`, which makes it the most recently used one. Forgets it if it turns out to be gone. */
  async use(hash: string, open: (hash: string) => Promise<Blob | null>): Promise<Blob | null> {
    const file = this.#files.get(hash)
    if (file === undefined) return null
    file.usedAt = this.#now()
    this.#files.delete(hash)
    this.#files.set(hash, file)
    const blob = await open(hash)
    // Damaged, or removed by somebody.
    if (blob === null && this.#files.get(hash) === file) this.drop(hash)
    if (blob !== null && isStreamed(file)) file.opened = new WeakRef(blob)
    return blob
  }

  reserve(bytes: number): void {
    this.#bytes += bytes
  }

  release(bytes: number): void {
    this.#bytes -= bytes
  }

  /** Those that nobody reads, least recently used first. They may be dropped meanwhile. */
  *unread(): Generator<string> {
    for (const [hash, file] of this.#files) if (!this.#isBeingRead(file)) yield hash
  }

  #isBeingRead(file: CachedFile): boolean {
    if (!isStreamed(file)) return false
    return file.opened?.deref() !== undefined || this.#now() - file.usedAt < openedSoonMs
  }
}

/** A smaller file is in memory when it is opened. */
const isStreamed = ({ bytes }: CachedFile): boolean => bytes > wholeBodyBytesMax
