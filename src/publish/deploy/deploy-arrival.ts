import type { Arrival } from '#publish/upload/spool-shares.ts'
import { UploadArrival } from '#publish/upload/upload-arrival.ts'

/** A deploy that sends nothing for so long gives way like the slowest upload. */
const idleMsMax = 60_000

/** A file of a deploy while it arrives. */
export interface ArrivingFile {
  readonly arrival: UploadArrival
  /** On disk so far. */
  bytes: number
}

interface DeployArrivalOptions {
  /** Monotonic milliseconds. */
  readonly elapsed: () => number
  /** Removes the files that have arrived. */
  readonly onGiveWay: () => void
}

/** The deploy takes no more files: it becomes a job, or is deleted. */
export class DeployClosedError extends Error {
  override readonly name = 'DeployClosedError'
}

/** The files of an open deploy, which arrive one by one and stay until the deploy is committed. */
export class DeployArrival implements Arrival {
  readonly #options: DeployArrivalOptions
  readonly #arriving = new Map<ArrivingFile, Promise<void>>()
  #arrivedBytes = 0
  #idleSince: number
  #isClosed = false

  constructor(options: DeployArrivalOptions) {
    this.#options = options
    this.#idleSince = options.elapsed()
  }

  get bytes(): number {
    return this.#arriving.keys().reduce((sum, { bytes }) => sum + bytes, this.#arrivedBytes)
  }

  /** Of all files that are arriving; 0 for a deploy that has been idle for a minute. A closed one does not give way. */
  get bytesPerSecond(): number | null {
    if (this.#isClosed) return null
    if (this.#arriving.size === 0) return this.#isIdle ? 0 : null
    const known = [...this.#arriving.keys()].flatMap(({ arrival }) => arrival.bytesPerSecond ?? [])
    return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0)
  }

  giveWay(): void {
    this.#endFiles()
    this.#options.onGiveWay()
  }

  /** Ends the files that are arriving; no others can. Resolves when none arrives any more. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#endFiles()
    await this.ended()
  }

  /** Throws DeployClosedError. */
  assertOpen(): void {
    if (this.#isClosed) throw new DeployClosedError('the deploy takes no more files')
  }

  /**
   * Counts a file while `receive` writes it, and from then on if that returns true. Throws DeployClosedError once the
   * deploy is closed.
   */
  async during(receive: (file: ArrivingFile) => Promise<boolean>): Promise<boolean> {
    this.assertOpen()
    const file: ArrivingFile = { arrival: new UploadArrival(), bytes: 0 }
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    this.#arriving.set(file, ended)
    let hasArrived = false
    try {
      hasArrived = await receive(file)
      return hasArrived
    } catch (error) {
      this.assertOpen()
      throw error
    } finally {
      this.#arriving.delete(file)
      if (hasArrived) this.#arrivedBytes += file.bytes
      this.#idleSince = this.#options.elapsed()
      end()
    }
  }

  /** Resolves when no file is arriving any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#arriving.values())
  }

  /** So much has arrived until now. */
  restart(arrivedBytes: number): void {
    this.#arrivedBytes = arrivedBytes
  }

  #endFiles(): void {
    for (const { arrival } of this.#arriving.keys()) arrival.giveWay()
  }

  get #isIdle(): boolean {
    return this.#options.elapsed() - this.#idleSince > idleMsMax
  }
}
