import { expect, test } from 'bun:test'
import { Migrator, sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { beginCheck, listDeletedAccounts, recordCheck } from '#store/accounts/account-status.ts'
import {
  findAccount,
  findDidByHandle,
  listAccounts,
  upsertAccount,
} from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { listBrowserSessions } from '#store/accounts/sessions.ts'
import { takeDueAccountDeletions } from '#store/lifecycle/account-deletions.ts'
import { migrations } from '#store/migrations/list.ts'
import { findSubdomain } from '#store/names/subdomains.ts'
import { rememberExpectedCid } from '#store/queues/job-steps.ts'
import { parkedAt } from '#store/queues/work-items.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { type OwnDatabase, onEachDatabase } from '#tests/support/databases.ts'
import { accountOf, alice, bob, nameOf, newVersion } from '#tests/support/sample-rows.ts'
import { workRows } from '#tests/support/work-rows.ts'
import { readChanges } from './changes.ts'
import { openDatabase } from './database.ts'
import { DatabaseAheadError, migrate } from './migrate.ts'

await onEachDatabase('store/database/migrate', (make, dialect) => {
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

  test('running again changes nothing', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    await migrate(database)
    await upsertAccount(database.db, { did: alice }, 1)
    await migrate(database)
    expect(await database.db.selectFrom('accounts').select('did').execute()).toHaveLength(1)
  })

  test('live sites with snapshots of the first format are enqueued', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    await new Migrator({ db: db.withoutPlugins(), provider }).migrateTo('0003-jobs-writing')
    for (const statement of [
      sql`insert into accounts values (${alice}, null, null, 'active', 1, 1)`,
      sql`insert into sites values (${alice}, 'queued', 's--queued', 'one', null, 1, 7)`,
      sql`insert into sites values (${alice}, 'shown', 's--shown', 'two', null, 1, 8)`,
      sql`insert into sites values (${alice}, 'refused', 's--refused', null, null, 1, 9)`,
      sql`insert into ingest_queue values (${alice}, 'queued', 5, 2, 6, 0, 'away', 'a token')`,
    ]) {
      await statement.execute(db)
    }
    await migrate(database)
    const anew = { enqueuedAt: 8, attempts: 0, nextAttemptAt: 8, lastError: null }
    expect(await workRows(db, 'site')).toMatchObject([
      { site: nameOf('queued'), enqueuedAt: 5, attempts: 2, nextAttemptAt: 6, lastError: 'away' },
      { site: nameOf('shown'), ...anew },
    ])
  })

  test('rows from before primary domains, account deletions and visits keep their meaning', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    const migrator = new Migrator({ db: db.withoutPlugins(), provider })
    const { error } = await migrator.migrateTo('0007-admins')
    expect(error).toBeUndefined()
    const domain = 'blog.sites.example'
    for (const statement of [
      sql`insert into accounts values (${alice}, null, null, 'deleted', 1, 1)`,
      sql`insert into subdomains values (${domain}, ${alice}, 'blog', 1, 1)`,
      sql`insert into sites values (${alice}, 'blog', 's--blog', null, null, 1, 1)`,
      sql`insert into changes (kind, did, name, created_at) values ('site', ${alice}, 'blog', 1)`,
    ]) {
      await statement.execute(db)
    }
    const before = Date.now()
    await migrate(database)

    expect(await findSubdomain(db, domain)).toMatchObject({
      site: nameOf('blog'),
      isPrimary: false,
    })
    // Its status begins now, so that it is not dropped too early.
    expect(await listDeletedAccounts(db, { before, limit: 9 })).toEqual([])
    const later = { before: Date.now() + 1, limit: 9 }
    expect(await listDeletedAccounts(db, later)).toEqual([alice])
    expect(await isDeletedHere(db, alice)).toBe(false)
    expect(await readChanges(db, 0)).toEqual([])
    expect(await recordVersion(db, newVersion(), 5)).toBe('went-live')
  })

  test('items of the former queues keep their attempts, times, lines and leases', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    await new Migrator({ db: db.withoutPlugins(), provider }).migrateTo('0023-grant-failures')
    await sql`insert into ingest_queue
      (did, name, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token, line, not_before) values
      (${alice}, 'taken', 1, 2, 3, 4, null, 'one', null, 0),
      (${alice}, 'waits', 5, 0, 6, 0, null, 'two', 'slow slow.test', 0),
      (${alice}, 'parked', 7, 7, ${sql.lit(parkedAt)}, 0, 'away', 'three', null, 8)`.execute(db)
    await sql`insert into account_queue
      (did, is_urgent, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token) values
      (${alice}, 1, 1, 2, 3, 4, null, 'four'),
      (${bob}, 0, 5, 6, 7, 0, 'no answer', 'five')`.execute(db)
    await migrate(database)
    const site = { kind: 'site' as const, did: alice, priority: 0 as const }
    const rest = { line: '', lastError: null, notBefore: 0, traceId: null }
    const of = (enqueuedAt: number, attempts: number, nextAttemptAt: number, leasedUntil: number) =>
      ({ ...rest, enqueuedAt, attempts, nextAttemptAt, leasedUntil }) as const
    const failed = { token: 'three', lastError: 'away', notBefore: 8 }
    expect(await workRows(db, 'site')).toEqual([
      { ...site, ...of(7, 7, parkedAt, 0), site: nameOf('parked'), ...failed },
      { ...site, ...of(1, 2, 3, 4), site: nameOf('taken'), token: 'one' },
      { ...site, ...of(5, 0, 6, 0), site: nameOf('waits'), token: 'two', line: 'slow slow.test' },
    ])
    const account = { kind: 'account' as const, site: '' as const }
    expect(await workRows(db, 'account')).toEqual([
      { ...account, ...of(1, 2, 3, 4), did: alice, priority: 1, token: 'four' },
      {
        ...account,
        ...of(5, 6, 7, 0),
        did: bob,
        priority: 0,
        token: 'five',
        lastError: 'no answer',
      },
    ])
  })

  test('the account that was last seen with a handle keeps it', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    await new Migrator({ db: db.withoutPlugins(), provider }).migrateTo('0013-ingest-leases')
    for (const [n, handle, updatedAt] of [
      [0, 'name.test', 1],
      [1, 'name.test', 3],
      [2, 'name.test', 3],
      [3, 'name.test', 2],
      [4, 'other.test', 1],
      [5, null, 9],
    ] as const) {
      const row = { did: accountOf(n), handle, pds: null, status: 'active' } as const
      await db
        .insertInto('accounts')
        .values({ ...row, statusSince: 1, createdAt: 1, updatedAt })
        .execute()
    }
    await migrate(database)
    const handles = (await listAccounts(db)).map(({ handle }) => handle)
    expect(handles.toSorted()).toEqual(
      [null, null, null, null, 'name.test', 'other.test'].toSorted(),
    )
    expect([accountOf(1), accountOf(2)]).toContain((await findDidByHandle(db, 'name.test')) as Did)
  })

  test('the next check of an account without a numbered check counts', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    const migrator = new Migrator({ db: db.withoutPlugins(), provider })
    await migrator.migrateTo('0015-accounts-by-handle')
    await sql`insert into accounts (did, status, status_since, created_at, updated_at)
      values (${alice}, 'takendown', 1, 1, 1)`.execute(db)
    await migrate(database)
    const check = await beginCheck(db)
    expect(await findAccount(db, alice)).toMatchObject({
      status: 'takendown',
      signingKey: null,
      lastCheck: 0,
    })
    const found = { did: alice, check, status: 'active' } as const
    expect(await recordCheck(db, found, 2)).toBe('status-changed')
  })

  test('sessions without an authority get the known one, and end when none is known', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    await new Migrator({ db: db.withoutPlugins(), provider }).migrateTo('0017-inactive-accounts')
    await sql`insert into accounts (did, pds, signing_key, status, status_since, created_at, updated_at)
      values (${alice}, 'https://old.example', 'zOld', 'active', 1, 1, 1),
        (${bob}, null, null, 'active', 1, 1, 1)`.execute(db)
    for (const did of [alice, bob]) {
      await sql`insert into browser_sessions (id_hash, did, created_at, seen_at, expires_at)
        values (${`of ${did}`}, ${did}, 1, 1, 9)`.execute(db)
    }
    await migrate(database)
    const clock = { now: 2, idleMs: 100 }
    expect(await listBrowserSessions(db, alice, clock)).toHaveLength(1)
    expect(await listBrowserSessions(db, bob, clock)).toEqual([])
    const [pds, signingKey] = ['https://new.example', 'zOld']
    const check = await beginCheck(db)
    const found = { did: alice, check, status: 'active', pds, signingKey } as const
    expect(await recordCheck(db, found, 2)).toBe('moved')
    expect(await listBrowserSessions(db, alice, clock)).toEqual([])
  })

  test('unfinished jobs keep the record that they replace, if they have looked', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    await new Migrator({ db: db.withoutPlugins(), provider }).migrateTo('0023-grant-failures')
    const plans = {
      one: '{"files":[],"skippedFiles":[],"replaces":"bafy"}',
      none: '{"files":[],"skippedFiles":[],"replaces":null}',
      unseen: '{"files":[],"skippedFiles":[]}',
      ended: '',
    }
    for (const [site, plan] of Object.entries(plans)) {
      await sql`insert into jobs (id, did, site, status, progress, plan, created_at, updated_at)
        values (${site}, ${alice}, ${site}, 'pending', '{}', ${plan}, 1, 1)`.execute(db)
    }
    await migrate(database)
    const jobs = await db.selectFrom('jobs').select(['id', 'expectedCid', 'plan']).execute()
    expect(Object.fromEntries(jobs.map(({ id, expectedCid }) => [id, expectedCid]))).toEqual({
      one: 'bafy',
      none: '',
      unseen: null,
      ended: null,
    })
    expect(Object.fromEntries(jobs.map(({ id, plan }) => [id, plan]))).toEqual(plans)
    expect(await rememberExpectedCid(db, 'one', 'later')).toBe('bafy')
    expect(await rememberExpectedCid(db, 'none', 'later')).toBeNull()
    expect(await rememberExpectedCid(db, 'unseen', 'first')).toBe('first')
  })

  test('accounts that were deleted here stay so, and deletions that were not finished are due', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const { db } = database
    const provider = { getMigrations: async () => migrations(dialect) }
    await new Migrator({ db: db.withoutPlugins(), provider }).migrateTo('0025-expected-cid')
    await sql`insert into departures (did_hash, did, left_at, attempts, next_attempt_at) values
      (${didHash(alice)}, ${alice}, 1, 2, 3),
      (${didHash(bob)}, null, 4, 5, 6)`.execute(db)
    await migrate(database)
    expect(
      await db.selectFrom('accountDeletions').selectAll().orderBy('deletedAt').execute(),
    ).toEqual([
      { didHash: didHash(alice), did: alice, deletedAt: 1, attempts: 2, nextAttemptAt: 3 },
      { didHash: didHash(bob), did: null, deletedAt: 4, attempts: 5, nextAttemptAt: 6 },
    ])
    expect(await isDeletedHere(db, bob)).toBe(true)
    expect(await takeDueAccountDeletions(db, { now: 3, retryMs: 9, limit: 9 })).toEqual([alice])
  })

  test('a database that is ahead of this code is an error', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    await migrate(database)
    await sql`insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00.000Z')`.execute(
      database.db,
    )
    const refusal = await migrate(database).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(DatabaseAheadError)
    expect(refusal).toMatchObject({ migration: '9999-later' })
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
