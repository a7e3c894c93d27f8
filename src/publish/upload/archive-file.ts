import { type FileHandle, open } from 'node:fs/promises'
import { RandomAccessReader } from 'yauzl'

/**
 * A zip on disk, as yauzl reads it. Its own reader hands any offset that an archive names to the file
 * system, whose complaint about one beyond 2^53 nobody could catch.
 */
export class ArchiveFile extends RandomAccessReader implements AsyncDisposable {
  readonly bytes: number
  readonly #file: FileHandle

  private constructor(file: FileHandle, bytes: number) {
    super()
    this.#file = file
    this.bytes = bytes
  }

  static async open(path: string): Promise<ArchiveFile> {
    const file = await open(path)
    return new ArchiveFile(file, (await file.stat()).size)
  }

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    this.#read(buffer.subarray(offset, offset + length), position).then(
      () => callback(null),
      callback,
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file.close()
  }

  async #read(buffer: Buffer, position: number): Promise<void> {
    if (!(position >= 0 && position + buffer.length <= this.bytes))
      throw new Error('ends too early')
    const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, position)
    if (bytesRead < buffer.length) throw new Error('ends too early')
  }
}
