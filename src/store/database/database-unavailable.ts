import { codeOf } from '#observe/code-of.ts'

/** The database cannot be reached, is out of space or connections, or stayed locked: trying later may help. */
export class DatabaseUnavailableError extends Error {
  override readonly name = 'DatabaseUnavailableError'
  readonly dialect: 'sqlite' | 'postgres'
  /** The database's or the system's own code: an SQLSTATE, `SQLITE_FULL`, `ECONNREFUSED`. */
  readonly code: string

  constructor(dialect: 'sqlite' | 'postgres', cause: unknown) {
    const code = codeOf(cause) ?? 'unknown'
    super(`database unavailable; dialect=${dialect} reason=${code}`, { cause })
    this.dialect = dialect
    this.code = code
  }
}
