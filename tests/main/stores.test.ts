import { expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { openStores } from '#main/service/stores.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { DatabaseUnavailableError } from '#store/database/database-unavailable.ts'
import { migrate } from '#store/database/migrate.ts'
import { inTransaction } from '#store/database/transaction.ts'
import { onEachDatabase } from '#tests/support/database/databases.ts'
import { tcpProxy } from '#tests/support/servers/tcp-proxy.ts'
import { recordingLog } from '../support/api.ts'
import { eventually } from '../support/eventually.ts'

test('a database that can only be read is none to start with', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-stores-'))
  try {
    const file = join(dir, 'sitehost.db')
    {
      await using database = openDatabase({ file })
      await migrate(database)
    }
    await chmod(file, 0o444)
    await chmod(dir, 0o777)
    expect(await openInChild(dir)).toBe(`EACCES ${file}`)
  } finally {
    await rm(dir, { recursive: true })
  }
})

test('a folder of blobs that is there but empty is a mount that went away', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'sitehost-stores-'))
  await using opened = new AsyncDisposableStack()
  opened.defer(() => rm(dataDir, { recursive: true }))
  const config = { blobStore: null, databaseUrl: undefined, dataDir }
  const { blobs } = await openStores({ config, log: recordingLog([]) }, opened)
  await blobs.assertThere()
  const [dir, mounted] = [join(dataDir, 'blobs'), join(dataDir, 'mounted')]
  await rename(dir, mounted)
  await expect(blobs.assertThere()).rejects.toThrow(BlobStorageError)
  await mkdir(dir)
  await expect(blobs.assertThere()).rejects.toThrow(BlobStorageError)
  await rmdir(dir)
  await rename(mounted, dir)
  await blobs.assertThere()
  expect(await Array.fromAsync(blobs.list())).toEqual([])
})

await onEachDatabase('main/stores on an empty database', (make, dialect) => {
  // Only PostgreSQL has schemas, and lets several migrate.
  if (dialect === 'sqlite') return

  test('tables that a restore has moved aside are not there', async () => {
    await using opened = new AsyncDisposableStack()
    const own = opened.use(await make())
    {
      await using database = openDatabase(own.options)
      await sql`create schema moved_aside
        create table leases (name text)
        create table kysely_migration (name text)`.execute(database.db)
    }
    const dataDir = await mkdtemp(join(tmpdir(), 'sitehost-stores-'))
    opened.defer(() => rm(dataDir, { recursive: true }))
    const config = { blobStore: null, databaseUrl: own.options.url, dataDir }
    const found: number[] = []
    const claim = async (db: Db): Promise<void> => {
      found.push((await db.selectFrom('leases').selectAll().execute()).length)
    }
    await openStores({ config, log: recordingLog([]), claim }, opened)
    expect(found).toEqual([0])
  })

  test('a migration may take longer', async () => {
    await using own = await make()
    await using other = openDatabase(own.options)
    await using opened = new AsyncDisposableStack()
    const waiting = () =>
      sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
        and now() - query_start > interval '900 ms'`.execute(other.db)
    let opening: ReturnType<typeof open> | undefined
    await other.db.transaction().execute(async (transaction) => {
      // Kysely's, which those that migrate at the same time wait for.
      await sql`select pg_advisory_xact_lock(3853314791062309107)`.execute(transaction)
      opening = open(own.options.url, opened)
      opening.catch(() => undefined)
      await eventually(async () => expect((await waiting()).rows).toHaveLength(1))
    })
    expect(await opening).toBeDefined()
  })
})

await onEachDatabase('main/stores over a network that breaks', (make, dialect) => {
  // SQLite has no connection that could break.
  if (dialect === 'sqlite') return

  test('a query on a connection that broke without a word fails in bounded time, and the next one works', async () => {
    await using own = await make()
    using proxy = tcpProxy(new URL(own.options.url ?? ''))
    await using opened = new AsyncDisposableStack()
    const { db } = await open(proxy.url, opened)
    const one = () => sql<{ one: number }>`select 1 as one`.execute(db)
    expect((await one()).rows).toEqual([{ one: 1 }])
    const broken = inTransaction(db, async (transaction) => {
      proxy.breakSilently()
      await sql`select 1`.execute(transaction)
    })
    await expect(broken).rejects.toThrow(DatabaseUnavailableError)
    await eventually(async () => expect((await one()).rows).toEqual([{ one: 1 }]))
  })
})

async function open(databaseUrl: string | undefined, opened: AsyncDisposableStack) {
  const dataDir = await mkdtemp(join(tmpdir(), 'sitehost-stores-'))
  opened.defer(() => rm(dataDir, { recursive: true }))
  const config = { blobStore: null, databaseUrl, dataDir }
  return await openStores({ config, log: recordingLog([]), answerMsMax: 300 }, opened)
}

/** What `openStores` fails with for somebody who is not root. */
async function openInChild(dataDir: string): Promise<string> {
  const script = `
    import { openStores } from '#main/service/stores.ts'
    if (process.getuid() === 0) process.setuid(65_534)
    await using opened = new AsyncDisposableStack()
    const config = { blobStore: null, databaseUrl: undefined, dataDir: ${JSON.stringify(dataDir)} }
    await openStores({ config }, opened).then(
      () => console.log('opened'),
      ({ code, path }) => console.log(code, path),
    )
  `
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: import.meta.dir })
  return (await new Response(child.stdout).text()).trim()
}
