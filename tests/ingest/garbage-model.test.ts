import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { BlobStore } from '#blobs/blob-store.ts'
import { collectGarbage, garbageKeptMs } from '#ingest/blobs/collect-garbage.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { ingestVersion } from '#ingest/ingest-version.ts'
import { SiteFirstError } from '#ingest/site-first.ts'
import { hashesNamedIn } from '#site/visit/named-hashes.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { listBlobHashes } from '#store/blobs/blobs.ts'
import { oldestOpenWork } from '#store/blobs/garbage.ts'
import type { Db } from '#store/database/database.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { expireVersions } from '#store/sites/expire-versions.ts'
import { snapshotPages } from '#store/sites/snapshot-pages.ts'
import { dropReplacedSnapshots, withdrawReplaced } from '#store/sites/versions.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, newJob, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { clearWork } from '#tests/support/database/work-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { listOf } from '../support/blob-store-contract.ts'

// Random lives of three sites, with crashes at any file, on real stores. Whatever happens, every byte that a
// snapshot names is here, nothing goes before its time, and in the end nothing else is left.

const hourMs = 60 * 60 * 1000
const contents = ['a', 'b', 'c', 'd', 'e', 'f']

type Step =
  | { readonly do: 'publish' | 'publish-while-collecting'; site: number; files: string[] }
  | { readonly do: 'half-publish' | 'keep'; site: number; files: string[] }
  | { readonly do: 'remove' | 'withdraw' | 'forget' | 'expire'; site: number }
  | { readonly do: 'put-and-crash'; content: string }
  | { readonly do: 'begin-job' | 'end-job' | 'queue' | 'work-off' }
  | { readonly do: 'wait'; hours: number }
  | { readonly do: 'collect'; crashAt: number | null }

const site = fc.integer({ min: 0, max: 2 })
const files = fc.uniqueArray(fc.constantFrom(...contents), { minLength: 1, maxLength: 4 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom('publish', 'publish-while-collecting'), site, files }),
  fc.record({ do: fc.constantFrom('half-publish', 'keep'), site, files }),
  fc.record({ do: fc.constantFrom('remove', 'withdraw', 'forget', 'expire'), site }),
  fc.record({ do: fc.constant('put-and-crash' as const), content: fc.constantFrom(...contents) }),
  fc.record({ do: fc.constantFrom('begin-job', 'end-job', 'queue', 'work-off') }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 40 }) }),
  fc.record({
    do: fc.constant('collect' as const),
    crashAt: fc.option(fc.integer({ min: 1, max: 3 }), { nil: null }),
  }),
)

/** The crash leaves the mark of a file that is gone: stored anew and never claimed, it goes when the mark is due. */
const storedAnewAfterCrash: Step[] = [
  { do: 'half-publish', site: 0, files: ['a', 'b'] },
  { do: 'collect', crashAt: null },
  { do: 'wait', hours: 25 },
  { do: 'collect', crashAt: 1 },
  { do: 'put-and-crash', content: 'a' },
  { do: 'begin-job' },
  { do: 'wait', hours: 1 },
  { do: 'collect', crashAt: null },
]

onEachStore('ingest/blobs/garbage-model', (db, dialect) => {
  test('nothing that is named goes, and nothing else stays', async () => {
    const numRuns = Number(process.env['GARBAGE_RUNS'] ?? (dialect === 'sqlite' ? 20 : 5))
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        await using life = await Life.begin(db())
        for (const one of steps) await life.step(one)
        await life.end()
      }),
      { numRuns, examples: [[storedAnewAfterCrash]] },
    )
  }, 600_000)
})

class Life implements AsyncDisposable {
  readonly #db: Db
  readonly #place: IngestPlace
  /** Hash → when it was last named, or came. */
  readonly #neededAt = new Map<string, number>()
  #jobId: string | null = null

  private constructor(db: Db, place: IngestPlace) {
    this.#db = db
    this.#place = place
  }

  static async begin(db: Db): Promise<Life> {
    for (const table of [
      'versions',
      'versionRecords',
      'forgottenVersions',
      'unfinishedForgets',
      'sites',
      'blobs',
      'garbage',
      'garbageWalk',
      'jobs',
      'workItems',
    ] as const) {
      await db.deleteFrom(table).execute()
    }
    await upsertAccount(db, { did: alice }, 1)
    return new Life(db, await openIngestPlace(db))
  }

  [Symbol.asyncDispose](): PromiseLike<void> {
    return this.#place[Symbol.asyncDispose]()
  }

  async step(one: Step): Promise<void> {
    const openSince = await oldestOpenWork(this.#db, this.#place.now - 7 * garbageKeptMs)
    const before = await this.#stored()
    await this.#carryOut(one)
    await this.#expectKept(before, openSince ?? Number.POSITIVE_INFINITY)
  }

  /** Once all work is over and a day has gone by, what is stored is what is named. */
  async end(): Promise<void> {
    await this.#endJob()
    await clearWork(this.#db, 'site')
    for (let round = 0; round < 3; round++) {
      await this.#collect(null)
      this.#place.now += garbageKeptMs + 1
    }
    const named = [...(await this.#named())].sort()
    expect(await this.#stored()).toEqual(named)
    expect(await listBlobHashes(this.#db, { after: '', limit: 100 })).toEqual(named)
  }

  async #carryOut(one: Step): Promise<void> {
    const { context, pds } = this.#place
    switch (one.do) {
      case 'publish':
        return await this.#publish(one.site, one.files)
      case 'publish-while-collecting':
        await Promise.all([this.#publish(one.site, one.files), this.#collect(null)])
        return
      case 'half-publish':
        return await this.#halfPublish(one.site, one.files)
      case 'remove':
        pds.deleteRecord(`place.sitehost.fs/site-${one.site}`)
        await ingestSite(siteOf(`site-${one.site}`), context)
        return
      case 'keep':
        return await this.#keep(one.site, one.files)
      case 'forget':
        pds.deleteRecord(pathOf(one.site))
        await ingestVersion(versionOf(one.site), context)
        return
      case 'expire':
        await expireVersions(this.#db, Number.MAX_SAFE_INTEGER)
        return
      case 'withdraw':
        return await withdrawReplaced(this.#db, siteOf(`site-${one.site}`))
      case 'put-and-crash':
        await context.blobs.put(new TextEncoder().encode(one.content))
        return
      case 'begin-job':
        return await this.#beginJob()
      case 'end-job':
        return await this.#endJob()
      case 'queue':
        await enqueueSites(context, [siteOf('site-0')])
        return
      case 'work-off':
        await clearWork(this.#db, 'site')
        return
      case 'wait':
        this.#place.now += one.hours * hourMs
        return
      case 'collect':
        return await this.#collect(one.crashAt)
    }
  }

  async #publish(number: number, names: readonly string[]): Promise<void> {
    const name = `site-${number}`
    await this.#place.write(name, Object.fromEntries(names.map((content) => [content, content])))
    // What was removed while it was looked for is fetched with the next try, as the queue would have it.
    await ingestSite(siteOf(name), this.#place.context).catch(
      async () => await ingestSite(siteOf(name), this.#place.context),
    )
  }

  /** A preview, of one version record for each site. */
  async #keep(number: number, names: readonly string[]): Promise<void> {
    const { context, pds } = this.#place
    const entries = names.map((name) => ({
      name,
      node: { type: 'file', blob: pds.addBlob(name), mimeType: 'text/html' },
    }))
    await pds.putRecord(pathOf(number), {
      $type: 'place.sitehost.version',
      site: `site-${number}`,
      root: { type: 'directory', entries },
      createdAt: '2026-01-01T00:00:00.000Z',
      expiresAt: '2036-01-01T00:00:00.000Z',
    })
    const ingest = async () => void (await ingestVersion(versionOf(number), context))
    // The site may be queued, and what was removed while it was looked for is fetched with the next try.
    await ingest().catch(ingest).catch(expectSiteFirst)
  }

  /** The account's server gives the first blobs only. */
  async #halfPublish(number: number, names: readonly string[]): Promise<void> {
    let left = names.length - 1
    this.#place.pds.lies.blob = (honest) => new Response(honest, { status: left-- > 0 ? 200 : 500 })
    const publishing = this.#publish(number, names)
    await publishing.catch(() => undefined)
    delete this.#place.pds.lies.blob
  }

  async #beginJob(): Promise<void> {
    if (this.#jobId !== null) return
    const job = newJob()
    await createJob(this.#db, job, { queuedMax: 5, now: this.#place.now })
    this.#jobId = job.id
  }

  async #endJob(): Promise<void> {
    if (this.#jobId === null) return
    const end = { status: 'failed', error: 'enough' } as const
    await finishJob(this.#db, this.#jobId, end, this.#place.now)
    this.#jobId = null
  }

  async #collect(crashAt: number | null): Promise<void> {
    const { context, now } = this.#place
    await dropReplacedSnapshots(this.#db, now - garbageKeptMs)
    const blobs = crashAt === null ? context.blobs : crashing(context.blobs, crashAt)
    const collecting = collectGarbage({ ...context, blobs, hashesAtOnce: 3 })
    if (crashAt === null) await collecting
    else await collecting.catch((error) => expect(error).toBeInstanceOf(Crash))
  }

  async #expectKept(before: readonly string[], openSince: number): Promise<void> {
    const { now } = this.#place
    const stored = new Set(await this.#stored())
    const named = await this.#named()
    for (const hash of named) expect(stored).toContain(hash)
    for (const hash of before.filter((one) => !stored.has(one))) {
      const neededAt = this.#neededAt.get(hash) ?? now
      expect(now - neededAt).toBeGreaterThanOrEqual(garbageKeptMs)
      expect(neededAt).toBeLessThan(openSince)
    }
    // What was stored without a claim keeps a mark that a crash has left: nobody can have relied on it.
    const marks = new Map((await this.#marks()).map(({ hash, since }) => [hash, since]))
    for (const hash of stored) {
      if (named.has(hash)) this.#neededAt.set(hash, now)
      else if (!before.includes(hash)) this.#neededAt.set(hash, marks.get(hash) ?? now)
    }
  }

  #marks() {
    return this.#db.selectFrom('garbage').select(['hash', 'since']).execute()
  }

  async #stored(): Promise<string[]> {
    return await listOf(this.#place.context.blobs)
  }

  async #named(): Promise<Set<string>> {
    const snapshots = (await Array.fromAsync(snapshotPages(this.#db))).flat()
    return new Set(snapshots.flatMap(({ snapshot }) => [...hashesNamedIn(snapshot)]))
  }
}

const versionOf = (number: number) => ({ did: alice, key: versionKeyOf(number) })
const pathOf = (number: number): string => `place.sitehost.version/${versionKeyOf(number)}`
const expectSiteFirst = (error: unknown): void => expect(error).toBeInstanceOf(SiteFirstError)

class Crash extends Error {}

/** Dies right after it has removed so many files. */
function crashing(blobs: BlobStore, at: number): Pick<BlobStore, 'list' | 'delete'> {
  let removed = 0
  return {
    list: () => blobs.list(),
    async delete(hash) {
      await blobs.delete(hash)
      removed += 1
      if (removed === at) throw new Crash()
    },
  }
}
