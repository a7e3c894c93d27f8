import { codeOf } from '#observe/code-of.ts'

/** Nothing can be previewed; `message` says why, in one line for the user. */
export class PreviewError extends Error {
  override readonly name: string = 'PreviewError'
}

/** The file is gone or unreadable; `code` is the system's. */
export class UnreadableFileError extends PreviewError {
  override readonly name = 'UnreadableFileError'
  readonly code: string

  constructor(path: string, cause: unknown) {
    const code = codeOf(cause) ?? 'unknown'
    super(`${path} cannot be read (${code})`, { cause })
    this.code = code
  }
}
