import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Migrator, sql } from 'kysely'
import type { Did } from '#site/site-address.ts'
import { beginCheck, listDeletedAccounts, recordCheck } from '#store/accounts/account-status.ts'
import { findAccount, findDidByHandle, upsertAccount } from '#store/accounts/accounts.ts'
import { isDeletedHere } from '#store/accounts/deleted-here.ts'
import { didHash } from '#store/accounts/did-hash.ts'
import { listBrowserSessions } from '#store/accounts/sessions.ts'
import { takeDueAccountDeletions } from '#store/lifecycle/account-deletions.ts'
import { migrations } from '#store/migrations/list.ts'
import { findSubdomain } from '#store/names/subdomains.ts'
import { rememberExpectedCid } from '#store/queues/job-steps.ts'
import { parkedAt } from '#store/queues/work-items.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { type OwnDatabase, onEachOwnStore } from '#tests/support/database/databases.ts'
import { accountOf, nameOf, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { readChanges } from './changes.ts'
import { type Database, type Db, openDatabase } from './database.ts'
import { DatabaseAheadError, migrate } from './migrate.ts'

/** Rows as an earlier version of the code left them, of accounts that no other case has, and what becomes of them. */
interface Case {
  readonly what: string
  /** The last migration that had run when the rows were written. */
  readonly at: string
  readonly write: (db: Db) => Promise<unknown>
  readonly check: (db: Db) => Promise<void>
}

const firstFormat = accountOf(1)
const deleted = accountOf(2)
const namesakes = [
  accountOf(10),
  accountOf(11),
  accountOf(12),
  accountOf(13),
  accountOf(14),
  accountOf(15),
] as const
const unchecked = accountOf(20)
const [located, nowhere] = [accountOf(30), accountOf(31)]
const [queued, alsoQueued] = [accountOf(40), accountOf(41)]
const publisher = accountOf(50)
const [halfDeleted, whollyDeleted] = [accountOf(60), accountOf(61)]
const domain = 'blog.sites.example'
const migratedSince = Date.now()

const plans = {
  one: '{"files":[],"skippedFiles":[],"replaces":"bafy"}',
  none: '{"files":[],"skippedFiles":[],"replaces":null}',
  unseen: '{"files":[],"skippedFiles":[]}',
  ended: '',
}

/** In the order of the migrations. */
const cases: Case[] = [
  {
    what: 'live sites with snapshots of the first format are enqueued',
    at: '0003-jobs-writing',
    async write(db) {
      for (const statement of [
        sql`insert into accounts values (${firstFormat}, null, null, 'active', 1, 1)`,
        sql`insert into sites values (${firstFormat}, 'queued', 's--queued', 'one', null, 1, 7)`,
        sql`insert into sites values (${firstFormat}, 'shown', 's--shown', 'two', null, 1, 8)`,
        sql`insert into sites values (${firstFormat}, 'refused', 's--refused', null, null, 1, 9)`,
        sql`insert into ingest_queue values (${firstFormat}, 'queued', 5, 2, 6, 0, 'away', 'a token')`,
      ]) {
        await statement.execute(db)
      }
    },
    async check(db) {
      const anew = { enqueuedAt: 8, attempts: 0, nextAttemptAt: 8, lastError: null }
      expect(await workRowsOf(db, 'site', [firstFormat])).toMatchObject([
        { site: nameOf('queued'), enqueuedAt: 5, attempts: 2, nextAttemptAt: 6, lastError: 'away' },
        { site: nameOf('shown'), ...anew },
      ])
    },
  },
  {
    what: 'rows from before primary domains, account deletions and visits keep their meaning',
    at: '0007-admins',
    async write(db) {
      for (const statement of [
        sql`insert into accounts values (${deleted}, null, null, 'deleted', 1, 1)`,
        sql`insert into subdomains values (${domain}, ${deleted}, 'blog', 1, 1)`,
        sql`insert into sites values (${deleted}, 'blog', 's--blog', null, null, 1, 1)`,
        sql`insert into changes (kind, did, name, created_at) values ('site', ${deleted}, 'blog', 1)`,
      ]) {
        await statement.execute(db)
      }
    },
    async check(db) {
      expect(await findSubdomain(db, domain)).toMatchObject({
        site: nameOf('blog'),
        isPrimary: false,
      })
      // Its status begins now, so that it is not dropped too early.
      expect(await listDeletedAccounts(db, { before: migratedSince, limit: 9 })).toEqual([])
      const later = { before: Date.now() + 1, limit: 9 }
      expect(await listDeletedAccounts(db, later)).toEqual([deleted])
      expect(await isDeletedHere(db, deleted)).toBe(false)
      expect(await readChanges(db, 0)).toEqual([])
      const version = newVersion({ site: siteOf('blog', deleted) })
      expect(await recordVersion(db, version, 5)).toBe('went-live')
    },
  },
  {
    what: 'the account that was last seen with a handle keeps it',
    at: '0013-ingest-leases',
    async write(db) {
      for (const [n, handle, updatedAt] of [
        [0, 'name.test', 1],
        [1, 'name.test', 3],
        [2, 'name.test', 3],
        [3, 'name.test', 2],
        [4, 'other.test', 1],
        [5, null, 9],
      ] as const) {
        const row = { did: namesakes[n], handle, pds: null, status: 'active' } as const
        await db
          .insertInto('accounts')
          .values({ ...row, statusSince: 1, createdAt: 1, updatedAt })
          .execute()
      }
    },
    async check(db) {
      const rows = db.selectFrom('accounts').select('handle').where('did', 'in', namesakes)
      const handles = (await rows.execute()).map(({ handle }) => handle)
      expect(handles.toSorted()).toEqual(
        [null, null, null, null, 'name.test', 'other.test'].toSorted(),
      )
      expect([namesakes[1], namesakes[2]]).toContain(
        (await findDidByHandle(db, 'name.test')) as Did,
      )
    },
  },
  {
    what: 'the next check of an account without a numbered check counts',
    at: '0015-accounts-by-handle',
    write: (db) =>
      sql`insert into accounts (did, status, status_since, created_at, updated_at)
        values (${unchecked}, 'takendown', 1, 1, 1)`.execute(db),
    async check(db) {
      const check = await beginCheck(db)
      expect(await findAccount(db, unchecked)).toMatchObject({
        status: 'takendown',
        signingKey: null,
        lastCheck: 0,
      })
      const found = { did: unchecked, check, status: 'active' } as const
      expect(await recordCheck(db, found, 2)).toBe('status-changed')
    },
  },
  {
    what: 'sessions without an authority get the known one, and end when none is known',
    at: '0017-inactive-accounts',
    async write(db) {
      await sql`insert into accounts (did, pds, signing_key, status, status_since, created_at, updated_at)
        values (${located}, 'https://old.example', 'zOld', 'active', 1, 1, 1),
          (${nowhere}, null, null, 'active', 1, 1, 1)`.execute(db)
      for (const did of [located, nowhere]) {
        await sql`insert into browser_sessions (id_hash, did, created_at, seen_at, expires_at)
          values (${`of ${did}`}, ${did}, 1, 1, 9)`.execute(db)
      }
    },
    async check(db) {
      const clock = { now: 2, idleMs: 100 }
      expect(await listBrowserSessions(db, located, clock)).toHaveLength(1)
      expect(await listBrowserSessions(db, nowhere, clock)).toEqual([])
      const [pds, signingKey] = ['https://new.example', 'zOld']
      const check = await beginCheck(db)
      const found = { did: located, check, status: 'active', pds, signingKey } as const
      expect(await recordCheck(db, found, 2)).toBe('moved')
      expect(await listBrowserSessions(db, located, clock)).toEqual([])
    },
  },
  {
    what: 'items of the former queues keep their attempts, times, lines and leases',
    at: '0023-grant-failures',
    async write(db) {
      await sql`insert into ingest_queue
        (did, name, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token, line, not_before) values
        (${queued}, 'taken', 1, 2, 3, 4, null, 'one', null, 0),
        (${queued}, 'waits', 5, 0, 6, 0, null, 'two', 'slow slow.test', 0),
        (${queued}, 'parked', 7, 7, ${sql.lit(parkedAt)}, 0, 'away', 'three', null, 8)`.execute(db)
      await sql`insert into account_queue
        (did, is_urgent, enqueued_at, attempts, next_attempt_at, leased_until, last_error, token) values
        (${queued}, 1, 1, 2, 3, 4, null, 'four'),
        (${alsoQueued}, 0, 5, 6, 7, 0, 'no answer', 'five')`.execute(db)
    },
    async check(db) {
      const site = { kind: 'site' as const, did: queued, priority: 0 as const }
      const rest = { line: '', lastError: null, lease: null, notBefore: 0, traceId: null }
      const of = (
        enqueuedAt: number,
        attempts: number,
        nextAttemptAt: number,
        leasedUntil: number,
      ) => ({ ...rest, enqueuedAt, attempts, nextAttemptAt, leasedUntil }) as const
      const failed = { token: 'three', lastError: 'away', notBefore: 8 }
      expect(await workRowsOf(db, 'site', [queued])).toEqual([
        { ...site, ...of(7, 7, parkedAt, 0), site: nameOf('parked'), ...failed },
        { ...site, ...of(1, 2, 3, 4), site: nameOf('taken'), token: 'one' },
        { ...site, ...of(5, 0, 6, 0), site: nameOf('waits'), token: 'two', line: 'slow slow.test' },
      ])
      const account = { kind: 'account' as const, site: '' as const }
      const unanswered = { priority: 0 as const, token: 'five', lastError: 'no answer' }
      expect(await workRowsOf(db, 'account', [queued, alsoQueued])).toEqual([
        { ...account, ...of(1, 2, 3, 4), did: queued, priority: 1, token: 'four' },
        { ...account, ...of(5, 6, 7, 0), did: alsoQueued, ...unanswered },
      ])
    },
  },
  {
    what: 'unfinished jobs keep the record that they replace, if they have looked',
    at: '0023-grant-failures',
    async write(db) {
      for (const [site, plan] of Object.entries(plans)) {
        await sql`insert into jobs (id, did, site, status, progress, plan, created_at, updated_at)
          values (${site}, ${publisher}, ${site}, 'pending', '{}', ${plan}, 1, 1)`.execute(db)
      }
    },
    async check(db) {
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
    },
  },
  {
    what: 'accounts that were deleted here stay so, and deletions that were not finished are due',
    at: '0025-expected-cid',
    write: (db) =>
      sql`insert into departures (did_hash, did, left_at, attempts, next_attempt_at) values
        (${didHash(halfDeleted)}, ${halfDeleted}, 1, 2, 3),
        (${didHash(whollyDeleted)}, null, 4, 5, 6)`.execute(db),
    async check(db) {
      expect(
        await db.selectFrom('accountDeletions').selectAll().orderBy('deletedAt').execute(),
      ).toEqual([
        {
          ...deletionOf(halfDeleted),
          did: halfDeleted,
          deletedAt: 1,
          attempts: 2,
          nextAttemptAt: 3,
        },
        { ...deletionOf(whollyDeleted), did: null, deletedAt: 4, attempts: 5, nextAttemptAt: 6 },
      ])
      expect(await isDeletedHere(db, whollyDeleted)).toBe(true)
      expect(await takeDueAccountDeletions(db, { now: 3, retryMs: 9, limit: 9 })).toEqual([
        halfDeleted,
      ])
    },
  },
]

// One database that goes through all versions: to begin anew for each case would take as long as all the others together.
onEachOwnStore('store/database/migrated-rows', (make, dialect) => {
  let own: OwnDatabase
  let database: Database
  beforeAll(async () => {
    own = await make()
    database = openDatabase(own.options)
    const provider = { getMigrations: async () => migrations(dialect) }
    const migrator = new Migrator({ db: database.db.withoutPlugins(), provider })
    for (const { at, write } of cases) {
      expect((await migrator.migrateTo(at)).error).toBeUndefined()
      await write(database.db)
    }
    await migrate(database)
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await own[Symbol.asyncDispose]()
  })

  test.each(cases.map((each) => [each.what, each] as const))('%s', async (_, { check }) => {
    await check(database.db)
  })

  test('running again changes nothing', async () => {
    await upsertAccount(database.db, { did: firstFormat, handle: 'first.test' }, 2)
    const accounts = () => database.db.selectFrom('accounts').selectAll().orderBy('did').execute()
    const before = await accounts()
    await migrate(database)
    expect(await accounts()).toEqual(before)
  })

  test('a database that is ahead of this code is an error', async () => {
    await sql`insert into kysely_migration values ('9999-later', '2999-01-01T00:00:00.000Z')`.execute(
      database.db,
    )
    const refusal = await migrate(database).catch((error: unknown) => error)
    expect(refusal).toBeInstanceOf(DatabaseAheadError)
    expect(refusal).toMatchObject({ migration: '9999-later' })
  })
})

const deletionOf = (did: Did) => ({ didHash: didHash(did) })

async function workRowsOf(db: Db, kind: 'site' | 'account', dids: readonly Did[]) {
  return (await workRows(db, kind)).filter(({ did }) => dids.includes(did))
}
