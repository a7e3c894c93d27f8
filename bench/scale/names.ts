// `bun bench/scale.ts names [sites] [place]`: what so many known sites (1 000 000), each with a subdomain, and a tenth with a
// custom domain and a preview, cost where nobody visits them: reading all names and what they take in memory, looks at hosts that nobody visited
// before, and counting everything. `place`: a folder or a URL of PostgreSQL, which is filled if it has no site
// and kept; else a SQLite file of its own. `bun bench/scale.ts fill [sites] PLACE` fills it beforehand: a machine that has just
// done so still writes it to its disk. Budgets: 200 bytes a name, 2 ms for a look (p99).
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { diskBlobStore } from '#blobs/disk.ts'
import { loadSite } from '#edge/load-site.ts'
import { Hosts } from '#edge/names/hosts.ts'
import { NamesFollower, ServedNames } from '#edge/names/served-names.ts'
import type { SnapshotFile } from '#site/visit/snapshot.ts'
import type { Change } from '#store/database/changes.ts'
import { type Database, type Db, openDatabase } from '#store/database/database.ts'
import { migrate } from '#store/database/migrate.ts'
import { readTotals } from '#store/sites/totals.ts'
import { recordingLog } from '#tests/support/api.ts'
import { accountOf } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { storedFile } from '#tests/support/visitors/served-site.ts'
import { print, type Row } from '../support/rows.ts'
import { stopwatch, watchStalls } from '../support/stalls.ts'
import { customDomainOf, customEach, fillNames, labelOf, subdomainOf } from './fill-names.ts'

const looks = 10_000
const changes = 10_000
const filesOfSite = 10
const nameBytesMax = 200
const lookMsMax = 2

export async function measureNames(sites: number, place?: string): Promise<void> {
  const dir = place ?? (await mkdtemp(join(tmpdir(), 'sitehost-names-')))
  await fillPlace(sites, dir)
  {
    await using database = openDatabase(optionsOf(dir))
    await measure(database, sites)
  }
  if (place === undefined) await rm(dir, { recursive: true })
}

/** Fills it if it has no site. */
export async function fillPlace(sites: number, place: string): Promise<void> {
  if (!isUrl(place)) await mkdir(place, { recursive: true })
  const options = optionsOf(place)
  {
    await using database = openDatabase(options)
    await migrate(database)
    if ((await readTotals(database.db)).sites > 0) return
  }
  const began = performance.now()
  await fillNames(options, sites, await files(isUrl(place) ? tmpdir() : place))
  print(figure('filled', (performance.now() - began) / 1000, 's'))
}

const isUrl = (place: string): boolean => place.startsWith('postgres')
const optionsOf = (place: string) =>
  isUrl(place) ? { url: place } : { file: join(place, 'sitehost.db') }

async function measure({ db }: Database, sites: number): Promise<void> {
  await measureKnown(db)
  const random = (): number => Math.floor(Math.random() * sites)
  const context = { db, baseDomain: 'localhost', originOf: (host: string) => `http://${host}` }
  const hosts = new Hosts(context)
  await measureLooks('nothing: a round trip', () => sql`select 1`.execute(db), null)
  await measureLooks('a subdomain', () => hosts.get(subdomainOf(random())))
  await measureLooks('a custom domain', () => {
    const n = random()
    return hosts.get(customDomainOf(n - (n % customEach)))
  })
  await measureLooks('a made-up host', () => hosts.get(`${crypto.randomUUID()}.localhost`), null)
  const loading = {
    ...{ ...context, log: recordingLog(), now: Date.now },
    ...{ earlierBytesMax: 1e9, onUnreadable: () => undefined },
  }
  await measureLooks('a snapshot', () => loadSite(labelOf(random()), loading))
  const began = performance.now()
  await readTotals(db)
  print(figure('totals, of status and the administrators’ page', performance.now() - began, 'ms'))
}

/** How long it takes to read all names and to follow changes, and what they take in memory. */
async function measureKnown(db: Db): Promise<void> {
  const names = new ServedNames({ baseDomain: 'localhost' })
  const end = new AbortController()
  const follower = new NamesFollower({ db, log: recordingLog(), names, signal: end.signal })
  const before = residentBytes()
  const stalls = watchStalls()
  const reading = stopwatch()
  follower.startAfresh()
  const following = follower.run()
  await eventually(async () => {
    if (names.size === 0) throw new Error('not read yet')
  }, 600_000)
  print(
    figure(`${names.size} names, read`, reading.seconds(), 's', null, `${reading.cpu()} s of CPU`),
    figure('longest stall meanwhile', stalls.stop(), 'ms'),
    figure('resident', (residentBytes() - before) / names.size, 'B/name', nameBytesMax),
  )
  const learning = stopwatch()
  const changed = Array.from({ length: changes }, (_, n) => labelOf(n * 7))
  // One more, which is looked up last, shows that all were.
  const served = [...changed, 'gone.localhost']
  names.learn(['gone.localhost'], new Map([['gone.localhost', accountOf(0)]]))
  follower.follow(served.map((name, seq) => changeOf(name, seq)))
  await eventually(async () => {
    if (names.has('gone.localhost')) throw new Error('not looked up yet')
  }, 600_000)
  print(
    figure(
      `${changes} changes followed`,
      learning.seconds(),
      's',
      null,
      `${learning.cpu()} s of CPU`,
    ),
  )
  end.abort()
  await following
}

const changeOf = (name: string, seq: number): Change =>
  name.includes('.')
    ? { kind: 'host', seq, host: name, createdAt: 0 }
    : { kind: 'site', seq, label: name, createdAt: 0 }

async function measureLooks(
  what: string,
  look: () => unknown,
  budget: number | null = lookMsMax,
): Promise<void> {
  const times: number[] = []
  for (let n = 0; n < looks; n++) {
    const began = performance.now()
    await look()
    times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const at = (part: number): number => times[Math.ceil(part * looks) - 1] ?? 0
  const others = [0.5, 0.9, 0.999].map((part) => `p${part * 100} ${at(part).toFixed(2)}`)
  print(figure(`look at ${what}, p99`, at(0.99), 'ms', budget, `${others.join(', ')} ms`))
}

function residentBytes(): number {
  for (let n = 0; n < 3; n++) Bun.gc(true)
  return process.memoryUsage.rss()
}

async function files(dir: string): Promise<Record<string, SnapshotFile>> {
  const blobs = diskBlobStore({ dir: join(dir, 'blobs') })
  const entries: Record<string, SnapshotFile> = {}
  for (let n = 0; n < filesOfSite; n++) {
    const { file, stored } = storedFile({ body: `<p>page ${n} `.padEnd(1000, 'x') })
    await blobs.put(stored)
    entries[n === 0 ? 'index.html' : `page-${n}.html`] = file
  }
  return entries
}

const figure = (
  what: string,
  value: number,
  unit: string,
  budget: number | null = null,
  detail = '',
): Row => ({ what, value, unit, budget, detail })
