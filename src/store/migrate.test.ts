import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type OwnDatabase, onEachDatabase } from '#tests/support/databases.ts'
import { alice, newVersion, siteOf } from '#tests/support/sample-rows.ts'
import { upsertAccount } from './accounts.ts'
import { openDatabase } from './database.ts'
import { countIngest, enqueueIngest, takeDueIngest } from './ingest-queue.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/list.ts'
import { recordVersion } from './record-version.ts'

await onEachDatabase('store/migrate', (make, dialect) => {
  const names = Object.keys(migrations(dialect))

  test('two processes that start together run each migration once', async () => {
    await using own = await make()
    const exits = await Promise.all([startProcess(own), startProcess(own), startProcess(own)])
    expect(exits).toEqual([0, 0, 0])
    expect(await ranMigrations(own)).toEqual(names)
  })

  test('two that start together in one process, too', async () => {
    await using own = await make()
    await using one = openDatabase(own.options)
    await using two = openDatabase(own.options)
    await Promise.all([migrate(one), migrate(two)])
    expect(await ranMigrations(own)).toEqual(names)
  })

  test('running again changes nothing', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    await migrate(database)
    await upsertAccount(database.db, { did: alice }, 1)
    await migrate(database)
    expect(await database.db.selectFrom('accounts').select('did').execute()).toHaveLength(1)
  })

  test('snapshots of the first format are made anew: every live site is looked at', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    await migrate(database)
    const { db } = database
    await recordVersion(db, newVersion({ site: siteOf('queued'), label: 's--queued' }), 7)
    await recordVersion(db, newVersion({ site: siteOf('shown') }), 8)
    const site = siteOf('refused')
    await recordVersion(db, newVersion({ site, label: 's--refused', snapshot: null }), 9)
    await enqueueIngest(db, [siteOf('queued')], 7)
    await migrations(dialect)['0004-sites-anew']?.up(db)
    const due = await takeDueIngest(db, { now: 8, leaseMs: 1, limit: 9 })
    expect(due.map(({ name }) => String(name))).toEqual(['queued'])
    expect(await countIngest(db)).toBe(2)
  })

  test('a database that is ahead of this code is refused', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    await migrate(database)
    await sql`insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00.000Z')`.execute(
      database.db,
    )
    await expect(migrate(database)).rejects.toThrow('9999-later')
  })
})

async function startProcess({ options }: OwnDatabase): Promise<number> {
  const script = `
    import { openDatabase } from ${JSON.stringify(`${import.meta.dir}/database.ts`)}
    import { migrate } from ${JSON.stringify(`${import.meta.dir}/migrate.ts`)}
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
