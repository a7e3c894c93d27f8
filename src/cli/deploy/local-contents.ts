import { createHash, randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChosenFile } from '#cli/folder/folder-choice.ts'
import { contentOf } from '#cli/folder/folder-content.ts'
import { throughStep } from '#concurrency/through-step.ts'
import type { ContentFolder } from '#publish/contents/encode-file.ts'
import type { SpooledFile } from '#publish/upload/spool-folder.ts'
import type { UploadedFile } from '#publish/upload/upload-tree.ts'

/**
 * A folder's files where they are, and other forms of them in a temporary folder, which is removed on disposal. A pack is
 * the path of one file.
 */
export class LocalContents implements ContentFolder, AsyncDisposable {
  #dir: Promise<string> | undefined

  /** Throws UnreadableFileError. */
  async hash(file: ChosenFile): Promise<UploadedFile> {
    const hash = createHash('sha256')
    let bytes = 0
    for await (const piece of contentOf(file)) {
      hash.update(piece)
      bytes += piece.byteLength
    }
    return { path: file.path, pack: file.realPath, offset: 0, bytes, sha256: hash.digest('hex') }
  }

  async blob({ pack, offset, bytes }: SpooledFile): Promise<Blob> {
    return (await openAsBlob(pack)).slice(offset, offset + bytes)
  }

  async write(
    source: AsyncIterable<Uint8Array>,
    { step, signal }: Parameters<ContentFolder['write']>[1],
  ): Promise<SpooledFile> {
    this.#dir ??= mkdtemp(join(tmpdir(), 'sitehost-deploy-'))
    const pack = join(await this.#dir, randomUUID())
    const hash = createHash('sha256')
    let bytes = 0
    const chunks = step === undefined ? source : throughStep(source, step, signal)
    await using file = await open(pack, 'wx')
    for await (const chunk of chunks) {
      signal?.throwIfAborted()
      hash.update(chunk)
      bytes += chunk.byteLength
      await file.appendFile(chunk)
    }
    return { pack, offset: 0, bytes, sha256: hash.digest('hex') }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#dir !== undefined) await rm(await this.#dir, { recursive: true, force: true })
  }
}
