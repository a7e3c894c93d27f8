import { setTimeout } from 'node:timers/promises'
import { codeOf } from '#observe/code-of.ts'
import type { Log } from '#observe/log.ts'
import type { Database } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { pendingMigrations } from '#store/database/migrate.ts'

const pollMs = 1_000
/** SQLSTATE. */
const insufficientPrivilege = '42501'

/**
 * Resolves when the database has the tables of this code, which another instance makes; false: the signal was aborted before. Says
 * once what it waits for. Throws DatabaseAheadError.
 */
export async function waitForTables(
  database: Database,
  { log, signal }: { readonly log: Log; readonly signal: AbortSignal },
): Promise<boolean> {
  let said: string | null = null
  while (!signal.aborted) {
    const lacking = await lackOf(database)
    if (lacking === null) return true
    if (lacking.message !== said) log.warn(lacking.message, lacking.facts)
    said = lacking.message
    await setTimeout(pollMs, undefined, { signal }).catch(() => undefined)
  }
  return false
}

/** Null: nothing. */
async function lackOf(
  database: Database,
): Promise<{ readonly message: string; readonly facts: Record<string, unknown> } | null> {
  try {
    const pending = await pendingMigrations(database)
    if (pending.length === 0) return null
    return {
      message: 'waits for another instance to migrate the database',
      facts: { migrations: pending.length },
    }
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) {
      return { message: 'waits for the database', facts: { error } }
    }
    if (codeOf(error) !== insufficientPrivilege) throw error
    return { message: 'waits for the right to read the tables', facts: { error } }
  }
}
