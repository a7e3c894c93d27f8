import { Migrator, sql } from 'kysely'
import { migrations } from '#store/migrations/list.ts'
import type { Database, Db } from './database.ts'
import { hasTable } from './has-table.ts'
import { isPostgres } from './transaction.ts'

/** A later version of this code has migrated the database; this one does not know `migration`. */
export class DatabaseAheadError extends Error {
  override readonly name = 'DatabaseAheadError'
  readonly migration: string

  constructor(migration: string, options?: ErrorOptions) {
    super(`database ahead of this code; migration=${migration}`, options)
    this.migration = migration
  }
}

/**
 * Brings the tables to this version of the code: forward only, each migration in its own transaction, in an empty database
 * all in one. Processes that start together wait for each other and run each migration once. Throws when a migration
 * fails, and DatabaseAheadError.
 */
export async function migrate(database: Database): Promise<void> {
  const known = migrations(database.dialect)
  await database.db.connection().execute(async (db) => {
    await using _ = await migrationLock(db)
    // Migrations and Kysely's own tables use snake_case.
    const migrator = new Migrator({
      db: db.withoutPlugins(),
      provider: { getMigrations: async () => known },
      // Without it Kysely takes the tables that a restore has moved aside, into another schema, for its own.
      ...(isPostgres(db) && { migrationTableSchema: 'public' }),
    })
    const isNew = (await migrator.getMigrations()).every(({ executedAt }) => !executedAt)
    for (;;) {
      // Each call reads the whole catalog several times, and a step of its own protects no rows where there are none.
      const { error, results = [] } = await (isNew
        ? migrator.migrateToLatest()
        : migrator.migrateUp())
      if (error !== undefined) throw await aheadOrElse(error, db, known)
      if (isNew || results.length === 0) return
    }
  })
}

/** The migrations that `migrate` would run. Throws DatabaseAheadError. */
export async function pendingMigrations({ db, dialect }: Database): Promise<string[]> {
  const known = migrations(dialect)
  if (!(await hasTable(db, 'kysely_migration'))) return Object.keys(known)
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const run = rows.map(({ name }) => name)
  const later = run.find((name) => !(name in known))
  if (later !== undefined) throw new DatabaseAheadError(later)
  return Object.keys(known).filter((name) => !run.includes(name))
}

/** Any number that no other advisory lock uses. */
const migrationLockId = 7_218_404

// Kysely reads the catalog before it takes its own lock, and PostgreSQL fails that query when a table is replaced
// meanwhile.
async function migrationLock(db: Db): Promise<AsyncDisposable> {
  if (isPostgres(db)) await sql`select pg_advisory_lock(${migrationLockId})`.execute(db)
  return {
    [Symbol.asyncDispose]: async () => {
      if (isPostgres(db)) await sql`select pg_advisory_unlock(${migrationLockId})`.execute(db)
    },
  }
}

// Kysely tells the two apart only in its message.
async function aheadOrElse(error: unknown, db: Db, known: object): Promise<unknown> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
    const later = rows.find(({ name }) => !(name in known))
    return later === undefined ? error : new DatabaseAheadError(later.name, { cause: error })
  } catch {
    // The cause of the failed migration fails this query too.
    return error
  }
}
