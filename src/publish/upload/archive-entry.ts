import { isUtf8 } from 'node:buffer'
import { archiveNameBytesMax, uploadEntriesMax } from '#site/limits.ts'
import { invalid, quoted, tooLarge, type UploadRefusedError } from '#site/upload/upload-refusal.ts'

/** A file, link or special file of an archive. Folders are not entries. */
export interface ArchiveEntry {
  /** As in the archive, without a leading `./`. */
  readonly name: string
  /** Declared by the archive. `content` has exactly this length, or throws UploadRefusedError. */
  readonly bytes: number
  /** Why it cannot be published, as in `"a" is a symbolic link`; null if it can. */
  readonly problem: string | null
  /** Readable until the next entry is asked for, which skips the unread rest. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Throws UploadRefusedError for a name that no site can hold under any rules. */
export function entryName(bytes: Buffer): string {
  if (bytes.length > archiveNameBytesMax) {
    throw invalid(`A name in this archive is longer than ${archiveNameBytesMax} bytes.`)
  }
  const name = bytes.toString()
  if (!isUtf8(bytes)) throw invalid(`The name ${quoted(name)} in this archive is not UTF-8.`)
  // `tar -C site .` writes it before every name.
  const plain = name.startsWith('./') ? name.slice(2) : name
  if (/^[a-z]:/i.test(plain)) throw invalid(`Bad file path ${quoted(plain)}: names a drive.`)
  return plain
}

export const tooManyEntries = (): UploadRefusedError =>
  tooLarge(
    `This archive holds over ${uploadEntriesMax} files and folders. Leave folders such as ` +
      'node_modules out of it.',
  )

export const corruptEntry = (name: string, cause?: unknown): UploadRefusedError =>
  invalid(`${quoted(name)} is damaged in this archive.`, cause)
