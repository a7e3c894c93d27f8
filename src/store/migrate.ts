import { Migrator } from 'kysely'
import type { Database } from './database.ts'
import { migrations } from './migrations/list.ts'

/**
 * Brings the tables to this version of the code: forward only, each migration in a transaction of
 * its own. Instances that start together wait for each other and run each migration once. Throws
 * when one fails, and when the database is already ahead of this code.
 */
export async function migrate({ db, dialect }: Database): Promise<void> {
  const provider = { getMigrations: async () => migrations(dialect) }
  // Migrations and Kysely's own tables speak snake_case.
  const migrator = new Migrator({ db: db.withoutPlugins(), provider })
  for (;;) {
    const { error, results = [] } = await migrator.migrateUp()
    if (error !== undefined) throw error
    if (results.length === 0) return
  }
}
