import { expect, test } from 'bun:test'
import { Migrator, sql } from 'kysely'
import { findAccount } from '#store/accounts/accounts.ts'
import { findAdmin } from '#store/accounts/admins.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { listBrowserSessions } from '#store/accounts/sessions.ts'
import { migrations } from '#store/migrations/list.ts'
import { findCustomDomain } from '#store/names/custom-domains.ts'
import { findSubdomain } from '#store/names/subdomains.ts'
import { findJob } from '#store/queues/jobs.ts'
import { findWorkItem } from '#store/queues/unread.ts'
import { listVersions } from '#store/sites/versions.ts'
import { onEachOwnStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, progress, siteOf } from '#tests/support/database/sample-rows.ts'
import { type Db, openDatabase } from './database.ts'
import { migrate } from './migrate.ts'

// What a service of the first public schema leaves to a later one.

const first = '0025-expected-cid'
const domain = 'blog.sites.example'
const later = 4_000_000_000_000

type Row = Readonly<Record<string, string | number | null>>

const times = { created_at: 1, updated_at: 2 }
/** One row of each table, in an order that its references allow. */
const rows: readonly [table: string, row: Row][] = [
  [
    'accounts',
    {
      ...{ did: alice, handle: 'alice.test', pds: 'https://pds.test', status: 'active' },
      ...{ ...times, status_since: 3, last_check: 4, signing_key: 'zKey' },
    },
  ],
  [
    'browser_sessions',
    {
      ...{ id_hash: 'hash', did: alice, created_at: 1, seen_at: 2, expires_at: later },
      ...{ device: 'Firefox on Linux', authority: 'https://pds.test zKey' },
    },
  ],
  ['sealed_rows', { kind: 'session', key: alice, sealed: 'sealed', expires_at: null }],
  [
    'sites',
    {
      ...{ did: alice, name: 'blog', label: 's--blog', live_version_id: 'v-1' },
      ...{ removed_rev: null, ...times, withdraw_with: 'cid-0' },
    },
  ],
  [
    'versions',
    {
      ...{ id: 'v-1', did: alice, name: 'blog', record_cid: 'cid-1', rev: '3kaaaaaaaaaa2' },
      ...{ state: 'live', problems: '["one"]', snapshot: '{"files":[]}', file_count: 2 },
      ...{ bytes: 1000, published_at: 3, seen_at: 4, replaced_at: null },
    },
  ],
  [
    'blobs',
    {
      ...{ cid: 'cid-2', coding: 'gzip', base64: 1, hash: 'h', stored_bytes: 5 },
      ...{ decoded_hash: 'd', decoded_bytes: 9, created_at: 1 },
    },
  ],
  [
    'jobs',
    {
      ...{ id: 'job-1', did: alice, site: 'blog', status: 'failed', result: null, error: 'No.' },
      ...{ progress: JSON.stringify(progress), plan: '', ...times, finished_at: 5 },
      ...{ writing_at: 4, due_at: null, started_at: 3, expected_cid: 'cid-0' },
    },
  ],
  ['firehose_cursors', { source: 'https://relay.test', cursor: 7, updated_at: 1 }],
  ['changes', { kind: 'host', created_at: 1, host: domain, label: null }],
  ['servers', { host: 'pds.test', sniffs_gzip: 1, updated_at: 1 }],
  [
    'uploaded_blobs',
    { did: alice, decoded_hash: 'd', blob: '{}', coding: 'gzip', base64: 0, uploaded_at: 1 },
  ],
  ['subdomains', { domain, did: alice, site: 'blog', ...times, is_primary: 1 }],
  [
    'custom_domains',
    {
      ...{ id: 'id-1', did: alice, domain: 'www.alice.test', verified: 1, site: 'blog' },
      ...{ confirmed_at: 1, checked_at: 2, next_check_at: 3, misses: 1, missing_since: 4 },
      ...{ ownership_warning: 'soon', pointing_warning: null, ...times, is_primary: 0 },
    },
  ],
  ['garbage', { hash: 'g', since: 1 }],
  ['garbage_walk', { id: 1, after_hash: 'g' }],
  ['admins', { id: 'admin-1', name: 'ruth', password_hash: 'argon', created_at: 1 }],
  [
    'admin_sessions',
    { id_hash: 'hash', admin_id: 'admin-1', created_at: 1, seen_at: 2, expires_at: later },
  ],
  [
    'departures',
    { did_hash: didHash(bob), did: null, left_at: 1, attempts: 2, next_attempt_at: 3 },
  ],
  ['leases', { name: 'service', holder: 'somebody', leased_until: 1 }],
  ['visited_accounts', { did: alice, visited_at: 1, dropped_at: null, dropped_bytes: 0 }],
  ['account_checks', { id: 1, begun: 12 }],
  ['kept_subdomains', { domain: 'old.sites.example', did_hash: didHash(alice), released_at: 1 }],
  ['blob_scrub', { id: 1, begun_at: 1, after_hash: 'h' }],
  ['grant_failures', { did: alice, since: 1, asked_at: 2, tries: 3 }],
  [
    'work_items',
    {
      ...{ kind: 'site', did: alice, site: 'blog', priority: 1, enqueued_at: 1, attempts: 2 },
      ...{ next_attempt_at: 3, leased_until: 0, last_error: 'away', token: 't', line: '' },
      not_before: 0,
    },
  ],
]

/** Tables and columns that have another name now. */
const renamed: Readonly<Record<string, string>> = {
  departures: 'account_deletions',
  left_at: 'deleted_at',
}
const nowCalled = (name: string): string => renamed[name] ?? name

onEachOwnStore('an upgrade from the first public schema', (make, dialect) => {
  test('keeps every row of every table, and all can be read', async () => {
    await using own = await make()
    await using database = openDatabase(own.options)
    const db = database.db.withoutPlugins()
    const provider = { getMigrations: async () => migrations(dialect) }
    const { error } = await new Migrator({ db, provider }).migrateTo(first)
    expect(error).toBeUndefined()
    expect(rows.map(([table]) => table).toSorted()).toEqual(await tablesOf(db))
    for (const [table, row] of rows) await insert(db, table, row)

    await migrate(database)

    for (const [table, row] of rows) {
      const expected = Object.entries(row).map(([column, value]) => [nowCalled(column), value])
      expect([table, await readAll(db, nowCalled(table))]).toEqual([
        table,
        [expect.objectContaining(Object.fromEntries(expected))],
      ])
    }
    await isRead(database.db)
  })
})

/** By what the service reads them with. */
async function isRead(db: Db): Promise<void> {
  expect(await findAccount(db, alice)).toMatchObject({ handle: 'alice.test', lastCheck: 4 })
  const clock = { now: 3, idleMs: 100 }
  expect(await listBrowserSessions(db, alice, clock)).toMatchObject([
    { device: 'Firefox on Linux' },
  ])
  expect(await listVersions(db, siteOf('blog'))).toMatchObject([{ id: 'v-1', problems: ['one'] }])
  expect(await findJob(db, 'job-1')).toMatchObject({ status: 'failed', error: 'No.', progress })
  expect(await findSubdomain(db, domain)).toMatchObject({ site: nameOf('blog'), isPrimary: true })
  expect(await findCustomDomain(db, { did: alice, id: 'id-1' })).toMatchObject({
    verified: true,
    ownershipWarning: 'soon',
  })
  expect(await findAdmin(db, 'ruth')).toMatchObject({ passwordHash: 'argon' })
  expect([await isDeletedHere(db, bob), await isDeletedHere(db, alice)]).toEqual([true, false])
  const item = { did: alice, site: nameOf('blog') }
  expect(await findWorkItem(db, item)).toMatchObject({ attempts: 2, error: 'away' })
}

async function tablesOf(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables()
  const names = tables.map(({ name }) => name)
  return names.filter((name) => !/^(kysely|sqlite)_/.test(name)).toSorted()
}

async function insert(db: Db, table: string, row: Row): Promise<void> {
  // Migrations fill some of those that have one row.
  await sql`delete from ${sql.table(table)}`.execute(db)
  const columns = sql.join(Object.keys(row).map((column) => sql.ref(column)))
  await sql`insert into ${sql.table(table)} (${columns}) values (${sql.join(Object.values(row))})`.execute(
    db,
  )
}

async function readAll(db: Db, table: string): Promise<unknown[]> {
  return (await sql`select * from ${sql.table(table)}`.execute(db)).rows
}
