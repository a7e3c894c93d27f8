import { afterEach, beforeEach, expect, test } from 'bun:test'
import { collectGarbage, garbageKeptMs } from '#ingest/blobs/collect-garbage.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { listBlobHashes } from '#store/blobs/blobs.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { takeDue } from '#store/queues/take-due.ts'
import { finishItem } from '#store/queues/work-items.ts'
import { alice, newJob, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { findServedSite } from '#tests/support/visitors/find-served-site.ts'
import { listOf } from '../support/blob-store-contract.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
})
afterEach(() => place[Symbol.asyncDispose]())

const collect = (facts: { hashesAtOnce?: number } = {}) =>
  collectGarbage({ ...place.context, ...facts })
const stored = () => listOf(place.context.blobs)
const rows = () => listBlobHashes(place.context.db, { after: '', limit: 1000 })
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

async function publish(name: string, ...contents: string[]): Promise<void> {
  const files = Object.fromEntries(contents.map((content) => [`${content}.txt`, content]))
  await place.write(name, files)
  await ingestSite(siteOf(name), place.context)
}

async function remove(name: string): Promise<void> {
  place.pds.deleteRecord(`place.sitehost.fs/${name}`)
  await ingestSite(siteOf(name), place.context)
}

test('what no snapshot names goes after a day, not before, and nothing else', async () => {
  await publish('stays', 'kept', 'shared')
  await publish('goes', 'gone', 'shared')
  await remove('goes')
  expect(await collect()).toEqual({ marked: 1, removed: 0 })
  place.now += garbageKeptMs
  expect(await collect()).toEqual({ marked: 1, removed: 0 })
  expect(await stored()).toHaveLength(3)
  place.now += 1
  expect(await collect()).toEqual({ marked: 1, removed: 1 })
  const kept = [sha256('kept'), sha256('shared')].sort()
  expect(await stored()).toEqual(kept)
  expect(await rows()).toEqual(kept)
  expect(await collect()).toEqual({ marked: 0, removed: 0 })
})

test('what is named again in time stays, and has a whole day when it is not any more', async () => {
  await publish('blog', 'page')
  await remove('blog')
  await collect()
  place.now += garbageKeptMs + 1
  await publish('blog', 'page')
  await collect()
  expect(await stored()).toEqual([sha256('page')])
  await remove('blog')
  place.now += 1
  await collect()
  place.now += garbageKeptMs
  await collect()
  expect(await stored()).toEqual([sha256('page')])
})

test('a version that was replaced keeps its files for as long as its snapshot', async () => {
  await publish('blog', 'old')
  await publish('blog', 'new')
  await collect()
  place.now += garbageKeptMs * 3
  await collect()
  expect(await stored()).toHaveLength(2)
})

test('a file that nobody remembers goes, too', async () => {
  await place.context.blobs.put(new TextEncoder().encode('left by a crash'))
  await collect()
  place.now += garbageKeptMs + 1
  expect(await collect()).toMatchObject({ removed: 1 })
  expect(await stored()).toEqual([])
})

test('so does a row whose file is gone', async () => {
  await publish('blog', 'page')
  await remove('blog')
  await place.context.blobs.delete(sha256('page'))
  await collect()
  place.now += garbageKeptMs + 1
  expect(await collect()).toMatchObject({ removed: 1 })
  expect(await rows()).toEqual([])
})

test('what was stored since the oldest job began stays until that ends', async () => {
  const { db } = place.context
  const job = newJob()
  await createJob(db, job, { queuedMax: 1, now: place.now })
  await place.context.blobs.put(new TextEncoder().encode('uploaded'))
  place.now += 1
  await collect()
  place.now += 10 * garbageKeptMs
  await collect()
  expect(await stored()).toHaveLength(1)
  await finishJob(db, job.id, { status: 'failed', error: 'no' }, place.now)
  expect(await collect()).toMatchObject({ removed: 1 })
})

test('what was fetched for a site that is not whole yet stays for a week', async () => {
  const { db } = place.context
  await enqueueSites(place.context, [siteOf('blog')])
  await place.context.blobs.put(new TextEncoder().encode('fetched'))
  place.now += 1
  await collect()
  place.now += 7 * garbageKeptMs - 2
  await collect()
  expect(await stored()).toHaveLength(1)
  place.now += 1
  expect(await collect()).toMatchObject({ removed: 1 })
  const [item] = await takeDue(db, { kind: 'site', now: place.now, leaseMs: 1, limit: 1 })
  if (item !== undefined) await finishItem(db, item)
})

test('part by part it comes to the same, and goes on where it was', async () => {
  const contents = Array.from({ length: 25 }, (_, i) => `page ${i}`)
  await publish('blog', ...contents)
  await publish('other', ...contents.slice(0, 5))
  await remove('blog')
  const byParts = { hashesAtOnce: 3 }
  expect(await collect(byParts)).toEqual({ marked: 20, removed: 0 })
  place.now += garbageKeptMs + 1
  let calls = 0
  const { blobs } = place.context
  const dying = {
    list: () => blobs.list(),
    delete: async (hash: string) => {
      await blobs.delete(hash)
      calls += 1
      if (calls === 10) throw new Error('killed')
    },
  }
  const killed = collectGarbage({ ...place.context, ...byParts, blobs: dying })
  await expect(killed).rejects.toThrow('killed')
  await collect(byParts)
  await collect(byParts)
  expect(await stored()).toEqual(contents.slice(0, 5).map(sha256).sort())
  expect(await rows()).toEqual(await stored())
})

test('a snapshot that cannot be read keeps what it names', async () => {
  await publish('blog', 'page')
  const { db } = place.context
  const { snapshot } = (await findServedSite(db, siteOf('blog'))) ?? { snapshot: '' }
  await db
    .updateTable('versions')
    .set({ snapshot: `damaged ${snapshot}` })
    .execute()
  await collect()
  place.now += garbageKeptMs + 1
  await collect()
  expect(await stored()).toEqual([sha256('page')])
})

test('a stop ends it before anything is judged by half of the snapshots', async () => {
  await publish('blog', 'page')
  place.stop.abort()
  await expect(collect()).rejects.toThrow()
  expect(await place.context.db.selectFrom('garbage').selectAll().execute()).toEqual([])
})
