// `bun bench/log.ts [entries] [sqlite|postgres]`: how soon the log answers an administrator, with so many entries (1 000 000):
// the newest, filters, rare and common words, words that are only in old entries, words that are never together, and pages
// far back. Budget: 100 ms. Also how fast entries are stored and deleted, and what they take on the disk.
import { stat } from 'node:fs/promises'
import { sql } from 'kysely'
import { events } from '#observe/events.ts'
import type { LogEntry } from '#observe/log-entry.ts'
import { type Database, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { appendLogEntries, lastLogEntryId, listLogEntries } from '#store/log/log-entries.ts'
import type { LogFilter } from '#store/log/log-words.ts'
import { pruneLogEntries } from '#store/log/prune-log.ts'
import { postgresDatabase, sqliteFile } from '#tests/support/database/databases.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const only = process.argv[3]
const rounds = 20
const answerMsMax = 100
const batch = 500

for (const [dialect, make] of [
  ['sqlite', sqliteFile],
  ['postgres', postgresDatabase],
] as const) {
  if (only !== undefined && only !== dialect) continue
  await using own = await make()
  await using database = openDatabase(own.options)
  await migrate(database)
  console.log(`${dialect}, ${count} entries`)
  await fill(database)
  if (dialect === 'postgres') await sql`vacuum analyze log_entries`.execute(database.db)
  console.log(`  ${await mebibytes(database, own.options.file)} MiB on the disk`)
  await measureAll(database)
  await measureWrites(database)
}

/** The older half is of another kind than the newer one: some words are only in old entries. */
function entryOf(n: number): LogEntry {
  const names = Object.keys(events) as (keyof typeof events)[]
  const event = n % 3 === 0 ? (names[n % names.length] ?? null) : null
  const isOld = n < count / 2
  const level = n % 50_000 === 7 ? 'error' : (['info', 'info', 'warn', 'debug'] as const)[n % 4]
  return {
    at: n,
    level: level ?? 'info',
    service: n % 5 === 0 ? 'hosting-service' : 'main-app',
    message:
      event === null ? (isOld ? 'subdomain mapped' : 'grant not confirmed') : events[event].message,
    event,
    traceId: new Bun.CryptoHasher('md5').update(`trace ${n}`).digest('hex'),
    context: {
      did: `did:plc:${new Bun.CryptoHasher('md5')
        .update(`did ${n % 100_000}`)
        .digest('hex')
        .slice(0, 24)}`,
      site: `blog-${n % 1000}`,
      job: new Bun.CryptoHasher('md5')
        .update(`job ${n}`)
        .digest('hex')
        .replace(/^.{8}|.{4}/g, '$&-'),
      files: n % 900,
      bytes: n * 13,
      ...(n % 2 === 0 ? { even: 'evenword' } : { odd: 'oddword' }),
      reason:
        'Your account’s server did not answer. Nothing was published; try again in a few minutes.',
    },
  }
}

async function fill({ db }: Database): Promise<void> {
  const began = performance.now()
  for (let n = 0; n < count; n += batch) {
    await appendLogEntries(
      db,
      Array.from({ length: batch }, (_, at) => entryOf(n + at)),
    )
  }
  const seconds = (performance.now() - began) / 1000
  console.log(`  stored ${Math.round(count / seconds)} entries a second`)
}

async function measureAll({ db }: Database): Promise<void> {
  const rare = entryOf(12_345)
  const last = await lastLogEntryId(db)
  const far = { before: Math.round(last / 4), limit: 100 }
  const searches: [what: string, filter: LogFilter, page?: typeof far][] = [
    ['the newest', {}],
    ['far back', {}, far],
    ['one DID', { search: String(rare.context['did']) }],
    ['one trace', { search: rare.traceId ?? '' }],
    ['one job', { search: String(rare.context['job']) }],
    ['a word that no entry has', { search: 'nowhere' }],
    ['a word that every entry has', { search: 'published' }],
    ['… far back', { search: 'published' }, far],
    ['the beginning of a word that every entry has', { search: 'blo' }],
    ['a letter', { search: 'p' }],
    ['a word of old entries only', { search: 'mapped' }],
    ['two words that are never together', { search: 'evenword oddword' }],
    ['a sentence', { search: 'Nothing was published; try again in a few minutes.' }],
    ['level error', { level: 'error' }],
    ['level error, service, search', { level: 'error', service: 'main-app', search: 'published' }],
    [
      'level info, service, search',
      { level: 'info', service: 'hosting-service', search: 'answer' },
    ],
    [
      'level debug and an event it never has',
      { level: 'debug', eventType: 'signed_in', search: 'grant' },
    ],
    ['event', { eventType: 'publish_failed' }],
    ['event and a site', { eventType: 'publish_failed', search: 'blog-12' }],
    ['an event that never happens', { eventType: 'unknown' }],
  ]
  for (const [what, filter, page = { limit: 100 }] of searches) {
    const times: number[] = []
    let found = 0
    for (let n = 0; n < rounds; n++) {
      const began = performance.now()
      found = (await listLogEntries(db, filter, page)).length
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const [median = 0, longest = 0] = [times[rounds / 2], times.at(-1)]
    const verdict = longest <= answerMsMax ? 'within' : 'OVER'
    const figures = `median ${median.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`
    console.log(`  ${what}: ${found} found, ${figures} (${verdict} ${answerMsMax} ms)`)
  }
}

async function measureWrites({ db }: Database): Promise<void> {
  const times: number[] = []
  for (let n = 0; n < 200; n++) {
    const began = performance.now()
    await appendLogEntries(
      db,
      Array.from({ length: 20 }, (_, at) => entryOf(count + n * 20 + at)),
    )
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  console.log(
    `  20 more: median ${times[100]?.toFixed(1)} ms, longest ${times.at(-1)?.toFixed(1)} ms`,
  )
  const began = performance.now()
  const deleted = await pruneLogEntries(db, { before: 0, rowsMax: count - 20_000 })
  console.log(`  the ${deleted} oldest deleted in ${Math.round(performance.now() - began)} ms`)
}

async function mebibytes({ db }: Database, file: string | undefined): Promise<number> {
  if (file !== undefined) return Math.round((await stat(file)).size / 1024 / 1024)
  const { rows } = await sql<{ bytes: number }>`
    select pg_total_relation_size('log_entries') as bytes`.execute(db)
  return Math.round((rows[0]?.bytes ?? 0) / 1024 / 1024)
}
