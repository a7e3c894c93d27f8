// `bun bench/scale.ts certificates [count] [URL of PostgreSQL]`: what the review of so many custom domains (100 000), each with a
// certificate, takes of the thread that answers visitors. It runs every 30 seconds. Budget: 5 ms at a time.
// A PostgreSQL must be empty; else a SQLite file of its own.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { ServedNames } from '#edge/names/served-names.ts'
import { WantedCertificates } from '#edge/tls/want-certificates.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { recordingLog } from '#tests/support/api.ts'
import { print } from '../support/rows.ts'
import { stopwatch, watchStalls } from '../support/stalls.ts'
import { customDomainOf } from './fill-names.ts'

const rounds = 5
const stallMsMax = 5
/** Of a chain of two certificates. */
const chain = 'x'.repeat(3_000)

export async function measureCertificates(count: number, url?: string): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'sitehost-certificates-'))
  {
    await using database = openDatabase(url === undefined ? { file: join(dir, 'db') } : { url })
    await migrate(database)
    const hosts = Array.from({ length: count }, (_, n) => customDomainOf(n))
    await fill(database.db, hosts)
    await measure(database.db, hosts)
  }
  await rm(dir, { recursive: true })
}

async function fill(db: Db, hosts: readonly string[]): Promise<void> {
  const rest = { isWanted: 1 as const, chain, sealedKey: 'sealed', dueAt: 0, changedAt: 0 }
  for (const some of chunksOf(hosts)) {
    await db
      .insertInto('certificates')
      .values(some.map((name) => ({ name, ...rest })))
      .execute()
  }
  await sql`analyze`.execute(db)
}

async function measure(db: Db, hosts: readonly string[]): Promise<void> {
  const names = new ServedNames({ baseDomain: 'localhost' })
  const all = names.empty()
  for (const host of hosts) all.add(host)
  names.know(all)
  const certificates = new WantedCertificates({
    applicationHost: 'app.localhost',
    baseDomain: 'localhost',
    db,
    wakeUps: new WakeUps(),
    log: recordingLog(),
    now: Date.now,
    isInFiles: () => false,
    names,
    signal: new AbortController().signal,
    wildcard: { isOrdered: true, isThere: () => true },
  })
  await certificates.review()
  for (let round = 0; round < rounds; round++) {
    const stalls = watchStalls()
    const time = stopwatch()
    await certificates.review()
    print(
      {
        what: `review of ${hosts.length} certificates`,
        value: time.seconds() * 1000,
        unit: 'ms',
        budget: null,
        detail: `${time.cpu()} s of CPU`,
      },
      {
        what: 'longest stall meanwhile',
        value: stalls.stop(),
        unit: 'ms',
        budget: stallMsMax,
        detail: '',
      },
    )
  }
}
