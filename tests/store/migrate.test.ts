import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { migrations } from '#store/migrations/list.ts'
import { type OwnDatabase, onEachOwnStore } from '#tests/support/database/databases.ts'

onEachOwnStore('store/database/migrate', (make, dialect) => {
  const names = Object.keys(migrations(dialect))

  test('two processes that start together run each migration once', async () => {
    await using own = await make()
    const exits = await Promise.all([startProcess(own), startProcess(own), startProcess(own)])
    expect(exits).toEqual([0, 0, 0])
    expect(await ranMigrations(own)).toEqual(names)
  })

  test('many migrations that start together in one process run once too', async () => {
    await using own = await make()
    const databases = Array.from({ length: 8 }, () => openDatabase(own.options))
    try {
      await Promise.all(databases.map(migrate))
    } finally {
      for (const database of databases) await database[Symbol.asyncDispose]()
    }
    expect(await ranMigrations(own)).toEqual(names)
  })
})

async function startProcess({ options }: OwnDatabase): Promise<number> {
  const script = `
    import { openDatabase } from '#store/database/database.ts'
    import { migrate } from '#store/database/migrate.ts'
    await using database = openDatabase(${JSON.stringify(options)})
    await migrate(database)
  `
  return await Bun.spawn([process.execPath, '-e', script], {
    cwd: import.meta.dir,
    stderr: 'inherit',
  }).exited
}

async function ranMigrations({ options }: OwnDatabase): Promise<string[]> {
  await using database = openDatabase(options)
  const { rows } = await sql<{
    name: string
  }>`select name from kysely_migration order by name`.execute(database.db)
  return rows.map(({ name }) => name)
}
