import { afterEach, beforeEach, expect, spyOn, test } from 'bun:test'
import { purgeBlobs } from '#ingest/blobs/purge-blobs.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { listBlobHashes } from '#store/blobs/blobs.ts'
import type { Db } from '#store/database/database.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { withdrawReplaced } from '#store/sites/versions.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, newVersion, newVersionRecord, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { listOf } from '../support/blob-store-contract.ts'

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const namesOf = (...contents: string[]) => JSON.stringify(contents.map(sha256))

onEachStore('what a purge removes', (db) => {
  let place: IngestPlace
  beforeEach(async () => {
    place = await openIngestPlace(db())
    await upsertAccount(db(), { did: alice }, 1)
  })
  afterEach(() => place[Symbol.asyncDispose]())

  async function publish(name: string, ...contents: string[]): Promise<void> {
    const files = Object.fromEntries(contents.map((content) => [`${content}.txt`, content]))
    await place.write(name, files)
    await ingestSite(siteOf(name), place.context)
  }
  const purge = (context: { signal?: AbortSignal } = {}) =>
    purgeBlobs(siteOf('bad'), { ...place.context, ...context })
  /** Whatever is stored, on disk and in the store. */
  async function expectStored(...contents: string[]): Promise<void> {
    const hashes = contents.map(sha256).sort()
    expect(await listOf(place.context.blobs)).toEqual(hashes)
    expect(await listBlobHashes(db(), { after: '', limit: 1000 })).toEqual(hashes)
  }

  test('is what only this site names, also in a replaced version', async () => {
    await publish('good', 'shared', 'good')
    await publish('bad', 'old')
    await publish('bad', 'shared', 'bad')
    expect(await purge()).toEqual({ removed: 2, kept: 1 })
    await expectStored('shared', 'good')
  })

  test('is what a version that its owner keeps names too, but nothing that one of another site does', async () => {
    await publish('bad', 'old', 'kept', 'elsewhere')
    await publish('bad', 'new')
    await withdrawReplaced(db(), siteOf('bad'))
    const keep = (n: number, name: string, ...contents: string[]) =>
      recordVersionRecord(
        db(),
        newVersionRecord(n, { site: siteOf(name).name, snapshot: namesOf(...contents) }),
        1,
      )
    await keep(1, 'bad', 'kept')
    await keep(2, 'good', 'elsewhere')
    expect(await purge()).toEqual({ removed: 2, kept: 0 })
    await expectStored('elsewhere', 'old')
  })

  test('is not what another site names by the time it would be removed', async () => {
    await publish('bad', 'taken', 'bad')
    const snapshot = namesOf('taken')
    const goLive = async () => {
      await recordVersion(db(), newVersion({ site: siteOf('good'), snapshot }), 1)
    }
    using _ = onceMarked(db(), goLive)
    expect(await purge()).toEqual({ removed: 1, kept: 1 })
    await expectStored('taken')
  })

  test('is found with no more than the hashes of this site in memory', async () => {
    const others = Array.from({ length: 200 }, (_, n) => `other ${n}`)
    const snapshot = namesOf(...others, 'shared')
    await recordVersion(db(), newVersion({ site: siteOf('good'), snapshot }), 1)
    await publish('bad', 'shared', 'bad')
    const adding = spyOn(Set.prototype, 'add')
    const count = await purge()
    const held = adding.mock.calls.map(([item]) => item).filter((item) => isHash(item))
    adding.mockRestore()
    expect(count).toEqual({ removed: 1, kept: 1 })
    expect(held.sort()).toEqual([sha256('shared'), sha256('bad')].sort())
  })

  test('is nothing after a stop', async () => {
    await publish('bad', 'bad')
    await expect(purge({ signal: AbortSignal.abort() })).rejects.toThrow()
    await expectStored('bad')
  })
})

const isHash = (item: unknown) => typeof item === 'string' && /^[0-9a-f]{64}$/.test(item)

/** Calls `work` once the first marks are written. */
function onceMarked(db: Db, work: () => Promise<void>): Disposable {
  const executor = db.getExecutor()
  const execute = executor.executeQuery.bind(executor)
  const spy = spyOn(executor, 'executeQuery').mockImplementation(async (query) => {
    const result = await execute(query)
    if (/^insert into "?garbage/.test(query.sql)) {
      spy.mockRestore()
      await work()
    }
    return result as never
  })
  return spy
}
