import { codeOf } from '#observe/code-of.ts'

/** The folder cannot be read as a site; `message` says why, in one line for the user. */
export class FolderError extends Error {
  override readonly name: string = 'FolderError'
}

/** The file is gone or unreadable; `code` is the system's. */
export class UnreadableFileError extends FolderError {
  override readonly name = 'UnreadableFileError'
  readonly code: string

  constructor(path: string, cause: unknown) {
    const code = codeOf(cause) ?? 'unknown'
    super(`${path} cannot be read (${code})`, { cause })
    this.code = code
  }
}
