import { Migrator, sql } from 'kysely'
import { migrations } from '#store/migrations/list.ts'
import type { Database, Db } from './database.ts'
import { isPostgres } from './transaction.ts'

/** A later version of this code has brought the database up to date; `migration` is one that is not here. */
export class DatabaseAheadError extends Error {
  override readonly name = 'DatabaseAheadError'
  readonly migration: string

  constructor(migration: string, options?: ErrorOptions) {
    super(`database ahead of this code; migration=${migration}`, options)
    this.migration = migration
  }
}

/**
 * Brings the tables to this version of the code: forward only, each migration in a transaction of
 * its own. Instances that start together wait for each other and run each migration once. Throws
 * when one fails, and DatabaseAheadError when the database is already ahead of this code.
 */
export async function migrate(database: Database): Promise<void> {
  const known = migrations(database.dialect)
  await database.db.connection().execute(async (db) => {
    await using _ = await migrationLock(db)
    // Migrations and Kysely's own tables speak snake_case.
    const migrator = new Migrator({
      db: db.withoutPlugins(),
      provider: { getMigrations: async () => known },
    })
    for (;;) {
      const { error, results = [] } = await migrator.migrateUp()
      if (error !== undefined) throw await aheadOrElse(error, db, known)
      if (results.length === 0) return
    }
  })
}

/** Any number that nothing else locks. */
const migrationLockId = 7_218_404

// Kysely reads the catalog before it takes a lock of its own, and PostgreSQL fails that query when a table is
// replaced meanwhile.
async function migrationLock(db: Db): Promise<AsyncDisposable> {
  if (isPostgres(db)) await sql`select pg_advisory_lock(${migrationLockId})`.execute(db)
  return {
    [Symbol.asyncDispose]: async () => {
      if (isPostgres(db)) await sql`select pg_advisory_unlock(${migrationLockId})`.execute(db)
    },
  }
}

// Kysely says so by its message alone.
async function aheadOrElse(error: unknown, db: Db, known: object): Promise<unknown> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
    const later = rows.find(({ name }) => !(name in known))
    return later === undefined ? error : new DatabaseAheadError(later.name, { cause: error })
  } catch {
    // What kept the migration from running keeps us from looking.
    return error
  }
}
