import { loadSite } from '#edge/load-site.ts'
import { OwnPages } from '#edge/pages.ts'
import { SiteInMemory } from '#edge/site-in-memory.ts'
import { servableSite } from '#site/visit/servable-site.ts'
import type { Snapshot, SnapshotFile } from '#site/visit/snapshot.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { siteOf } from '#tests/support/database/sample-rows.ts'
import { originOf, visitedSite, visitSite } from './edge.ts'
import { goLive, snapshotOf } from './served-site.ts'

// A program of its own, because only a process that does nothing else can tell what a part of it takes.

export interface MemoryTaken {
  /** Bytes, as the edge counts them. */
  readonly counted: number
  /** By how much the process grew. */
  readonly resident: number
}

export type MemoryCase = keyof typeof cases

const cases = {
  'plain answers': () => answers({}),
  'answers with long headers': () => answers({ headers: headersOf(15, 'v'.repeat(950)) }),
  'answers with many headers': () => answers({ headers: headersOf(50, 'v'.repeat(60)) }),
  listings: () => listings(),
  'sites with files': () => sites(() => ({ files: filesOf(2000) })),
  'sites with redirects': () => sites((site) => ({ redirects: redirectsOf(site) })),
  'sites with headers': () => sites((site) => ({ headers: blocksOf(site) })),
}

async function answers(facts: Partial<Snapshot>): Promise<MemoryTaken> {
  const { context } = visitedSite({})
  const visitAll = async (count: number): Promise<number> => {
    let counted = 0
    const grow = (bytes: number): void => {
      counted += bytes
    }
    const known = new SiteInMemory(
      servableSite(snapshotOf(Object.fromEntries(filesOf(count)), facts)),
      grow,
    )
    kept.push(known)
    // 304s: of answers alone, without bodies.
    for (const coding of ['gzip', 'identity']) {
      for (const path of known.site.files.keys()) {
        const headers = { 'accept-encoding': coding, 'if-none-match': '*' }
        await visitSite({ known, context }, `/${path}`, { headers })
        collectSometimes()
      }
    }
    return counted
  }
  // What is only made once does not count.
  await visitAll(100)
  return await grown(() => visitAll(3000))
}

function listings(): Promise<MemoryTaken> {
  const paths = Array.from(filesOf(5000), ([path, file], i) => [`${i % 20}/${path}`, file] as const)
  const site = servableSite(snapshotOf(Object.fromEntries(paths)))
  const { directories } = site
  return grown(async () => {
    let counted = 0
    const pages = new OwnPages(null)
    for (let copy = 0; copy < 20; copy++) {
      const known = new SiteInMemory(site, (bytes) => {
        counted += bytes
      })
      kept.push(known)
      for (const [path, entries] of directories) {
        const decision = { kind: 'listing', status: 200, path, entries, vary: [] } as const
        for (const kind of ['page', 'json'] as const) known.listingOf(decision, kind, pages)
        Bun.gc(true)
      }
    }
    return counted
  })
}

async function sites(factsOf: (site: number) => Partial<Snapshot>): Promise<MemoryTaken> {
  await using database = await memoryDatabase()
  const { db } = database
  const labels: string[] = []
  for (let site = 0; site < 20; site++) {
    labels.push(await goLive(db, snapshotOf({}, { ...siteOf(`site-${site}`), ...factsOf(site) })))
  }
  const origins = { baseDomain: 'sites.test', db, originOf }
  const context = { ...origins, log: recordingLog(), now: () => 1, earlierBytesMax: 0 }
  return await grown(async () => {
    let counted = 0
    for (const label of [...labels, ...labels, ...labels]) {
      const loaded = await loadSite(label, { ...context, onUnreadable: () => undefined })
      kept.push(loaded)
      counted += loaded?.bytes ?? 0
      Bun.gc(true)
    }
    return counted
  })
}

async function grown(fill: () => Promise<number>): Promise<MemoryTaken> {
  Bun.gc(true)
  const before = process.memoryUsage.rss()
  const counted = await fill()
  Bun.gc(true)
  return { counted, resident: process.memoryUsage.rss() - before }
}

const kept: unknown[] = []

let made = 0
/** Garbage that nobody needs must not be taken for what is kept. */
function collectSometimes(): void {
  if (++made % 100 === 0) Bun.gc(true)
}

function filesOf(count: number): Map<string, SnapshotFile> {
  return new Map(
    Array.from({ length: count }, (_, i) => [
      `page-${i}.html`,
      {
        cid: `bafkrei${String(i).padStart(52, 'a')}`,
        hash: String(i).padStart(64, '0'),
        coding: 'gzip',
        storedBytes: 100,
        bytes: 200,
        contentType: 'text/html; charset=utf-8',
      },
    ]),
  )
}

const headersOf = (count: number, value: string): string =>
  `/*\n${Array.from({ length: count }, (_, i) => `  X-${i}: ${value}:splat\n`).join('')}`

const redirectsOf = (site: number): string =>
  Array.from(
    { length: 900 },
    (_, i) => `/blog/2020/${site}-${i}/* /articles/${i}/:splat 301\n`,
  ).join('')

const blocksOf = (site: number): string =>
  Array.from({ length: 90 }, (_, i) => {
    const path = `/${i}/${Array.from({ length: 60 }, (_, name) => `:n${name}`).join('/')}/*`
    return `${path}\n  X-Site: ${site}-${i}\n`
  }).join('')

if (import.meta.main) {
  const name = process.argv[2] as MemoryCase
  process.stdout.write(JSON.stringify(await cases[name]()))
}
