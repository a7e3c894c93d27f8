import { afterAll, beforeAll, beforeEach, describe } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { type Database, type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { available } from '#tests/support/require.ts'
import { emptying, emptyShared, makeEmptyShared } from './empty-tables.ts'

export { memoryDatabase } from './memory-database.ts'

/** An empty database that nobody else uses; disposing it removes all that is in it. */
export interface OwnDatabase extends AsyncDisposable {
  readonly dialect: Database['dialect']
  /** What `openDatabase` takes. May be opened more than once. */
  readonly options: { readonly url?: string; readonly file?: string }
}

/** A database server copies and syncs files for it. */
const setUpMsMax = 120_000

type MakeDatabase = () => Promise<OwnDatabase>

/**
 * Runs a suite of several rooms once on SQLite and once on a real PostgreSQL (TEST_DATABASE_URL), if that answers.
 */
export async function onEachDatabase(
  suite: string,
  facts: (make: MakeDatabase, dialect: Database['dialect']) => void,
): Promise<void> {
  describe(`${suite} on SQLite`, () => facts(sqliteFile, 'sqlite'))
  const onPostgres = `${suite} on PostgreSQL`
  if (await hasPostgres(onPostgres)) describe(onPostgres, () => facts(postgresDatabase, 'postgres'))
}

const hasPostgres = (suite: string): Promise<boolean> =>
  available(suite, () => runOnServer('select 1'))

/**
 * A suite of stores, with empty databases. It runs on SQLite, and on PostgreSQL where `tests/on-postgresql/`
 * imports it. A file that calls this has no tests outside of its suites.
 */
export function onEachOwnStore(
  suite: string,
  facts: (make: MakeDatabase, dialect: Database['dialect']) => void,
): void {
  if (isForPostgres) describe(`${suite} on PostgreSQL`, () => facts(postgresDatabase, 'postgres'))
  else describe(`${suite} on SQLite`, () => facts(sqliteFile, 'sqlite'))
}

/**
 * As `onEachOwnStore`, with a migrated database that the suites of one test process share, emptied before each test.
 * `db()` is for inside tests; its tables stay as they are. So is `options()`, with which the caller
 * opens the same database once more, as another process would.
 */
export function onEachStore(
  suite: string,
  facts: (
    db: () => Db,
    dialect: Database['dialect'],
    options: () => OwnDatabase['options'],
  ) => void,
): void {
  onEachOwnStore(suite, (_, dialect) => {
    let own: OwnDatabase
    let database: Database
    let empty: () => Promise<unknown>

    beforeAll(async () => {
      own = dialect === 'sqlite' ? await migratedFile() : await sharedDatabase()
      database = openDatabase(own.options)
      empty = dialect === 'sqlite' ? await emptying(database.db) : () => emptyShared(database.db)
    }, setUpMsMax)
    beforeEach(async () => void (await empty()))
    afterAll(async () => {
      await database[Symbol.asyncDispose]()
      await own[Symbol.asyncDispose]()
    }, setUpMsMax)
    facts(
      () => database.db,
      dialect,
      () => own.options,
    )
  })
}

let isForPostgres = false

/** While it runs, suites of stores that are imported run on PostgreSQL; without one it does not call `load`. */
export async function forPostgres(load: () => Promise<void>): Promise<void> {
  if (!(await hasPostgres('stores on PostgreSQL'))) return
  isForPostgres = true
  try {
    await load()
  } finally {
    isForPostgres = false
  }
}

/** Ends every connection to this PostgreSQL database, as a restart of its server does. */
export async function endConnections(url: string): Promise<void> {
  await runOnServer(`select pg_terminate_backend(pid) ${connectionsTo(url)}`)
}

export async function sqliteFile(): Promise<OwnDatabase> {
  const dir = await mkdtemp(join(tmpdir(), 'store-'))
  return {
    dialect: 'sqlite',
    options: { file: join(dir, 'store.sqlite') },
    [Symbol.asyncDispose]: () => rm(dir, { recursive: true }),
  }
}

/** Databases of this process that are empty again. To make and drop one takes as long as many tests. */
const emptyDatabases: string[] = []

export async function postgresDatabase(): Promise<OwnDatabase> {
  const url = emptyDatabases.pop() ?? (await createDatabase())
  return {
    dialect: 'postgres',
    options: { url },
    [Symbol.asyncDispose]: async () => {
      await runOnServer(`select pg_terminate_backend(pid, ${endMsMax}) ${connectionsTo(url)}`)
      await runOnServer(dropSchemas, url)
      emptyDatabases.push(url)
    },
  }
}

/** All of them: a restore makes others. */
const dropSchemas = `
  do $$ declare name text; begin
    for name in select nspname from pg_namespace where nspname !~ '^(pg_|information_schema$)' loop
      execute format('drop schema %I cascade', name);
    end loop;
  end $$;
  create schema public`

/** How long a connection may take to end. */
const endMsMax = 30_000

const connectionsTo = (url: string): string =>
  `from pg_stat_activity where datname = '${new URL(url).pathname.slice(1)}'`

async function createDatabase(): Promise<string> {
  const name = `sitehost_test_${crypto.randomUUID().replaceAll('-', '')}`
  await runOnServer(`create database ${name}`)
  // What a slow disk has to do with a commit is no matter of a test: no server is killed here.
  await runOnServer(`alter database ${name} set synchronous_commit = off`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  dropAtTheEnd(url.href)
  return url.href
}

let migratedBytes: Promise<Uint8Array> | undefined

async function migratedFile(): Promise<OwnDatabase> {
  migratedBytes ??= migrateOnce()
  const own = await sqliteFile()
  await Bun.write(own.options.file ?? '', await migratedBytes)
  return own
}

async function migrateOnce(): Promise<Uint8Array> {
  await using own = await sqliteFile()
  {
    await using database = openDatabase(own.options)
    await migrate(database)
  }
  return await Bun.file(own.options.file ?? '').bytes()
}

let shared: Promise<OwnDatabase> | undefined

function sharedDatabase(): Promise<OwnDatabase> {
  shared ??= makeSharedDatabase()
  return shared
}

async function makeSharedDatabase(): Promise<OwnDatabase> {
  const { dialect, options } = await postgresDatabase()
  await using database = openDatabase(options)
  await migrate(database)
  await makeEmptyShared(database.db)
  return { dialect, options, [Symbol.asyncDispose]: async () => undefined }
}

/** Kept, because Bun closes the pipes of a process that was garbage-collected. */
const janitors: unknown[] = []

/**
 * Has a process drop the database when this one ends, however it ends: Bun tells nobody of the end of a test process,
 * and would kill a child of ours when a test times out. The janitor is a grandchild, and its input a pipe of ours.
 */
function dropAtTheEnd(url: string): void {
  const script = join(import.meta.dir, 'drop-database.ts')
  const child = Bun.spawn({
    cmd: ['sh', '-c', '"$@" <&3 3<&- &', 'sh', process.execPath, script, serverUrl(), url],
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  janitors.push(child)
}

async function runOnServer(statements: string, connectionString = serverUrl()): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 3000 })
  await client.connect()
  try {
    await client.query(statements)
  } finally {
    await client.end()
  }
}

function serverUrl(): string {
  return process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
}
