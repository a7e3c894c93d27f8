import { afterEach, beforeEach, expect, test } from 'bun:test'
import { runWork } from '#ingest/run-work.ts'
import { siteWork } from '#ingest/site-work.ts'
import { versionWork } from '#ingest/version-work.ts'
import { accountVersionRecordsMax } from '#site/limits.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { enqueueSites, enqueueVersions } from '#store/queues/enqueue.ts'
import { findVersionRecord } from '#store/sites/version-records/version-records.ts'
import { alice, bob, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'
import { eventually } from '../support/eventually.ts'

let place: IngestPlace
let running: Promise<void> | undefined
beforeEach(async () => {
  place = await openIngestPlace()
  running = undefined
  for (const did of [alice, bob]) await upsertAccount(place.context.db, { did }, 1)
})
afterEach(async () => {
  place.stop.abort()
  await running
  await place[Symbol.asyncDispose]()
})

const start = (): void => {
  const { context } = place
  running = runWork([siteWork(context), versionWork(context)], context)
}
const pathOf = (n: number): string => `place.sitehost.version/${versionKeyOf(n)}`
const write = (n: number, pds: FakePds = place.pds): Promise<string> =>
  pds.putRecord(pathOf(n), {
    $type: 'place.sitehost.version',
    site: 'blog',
    root: {
      type: 'directory',
      entries: [{ name: 'a.txt', node: { type: 'file', blob: pds.addBlob('shared') } }],
    },
    createdAt: new Date(place.now).toISOString(),
  })
const enqueue = (did = alice, ...numbers: number[]) =>
  enqueueVersions(
    place.context,
    numbers.map((n) => ({ did, key: versionKeyOf(n) })),
  )
const isKept = async (n: number, did = alice): Promise<boolean> =>
  (await findVersionRecord(place.context.db, { did, key: versionKeyOf(n) }))?.state === 'kept'

test('a queued version is kept, and forgotten once its record is gone', async () => {
  await write(1)
  start()
  await enqueue(alice, 1)
  await eventually(async () => expect(await isKept(1)).toBe(true))
  place.pds.deleteRecord(pathOf(1))
  await enqueue(alice, 1)
  await eventually(async () => expect(await isKept(1)).toBe(false))
  await eventually(async () => expect(await workRows(place.context.db, 'version')).toEqual([]))
})

test('a version of a site that is queued too waits for it, and fetches nothing twice', async () => {
  await place.write('blog', { 'a.txt': 'shared' })
  await write(1)
  await enqueue(alice, 1)
  await enqueueSites(place.context, [siteOf('blog')])
  start()
  await eventually(async () => {
    // The time passes for the retry.
    place.now += 100
    expect(await isKept(1)).toBe(true)
  })
  expect(place.pds.requests.filter((request) => request.startsWith('getBlob'))).toHaveLength(1)
})

test('thousands of versions of an account whose server is slow delay nobody', async () => {
  await using bobsPds = await startFakePds(bob)
  place.pds.others.push(bobsPds)
  const held = Promise.withResolvers<Response>()
  place.pds.lies.proof = () => held.promise
  const numbers = Array.from({ length: 5000 }, (_, n) => n)
  expect(await enqueue(alice, ...numbers)).toBe(5000 - accountVersionRecordsMax)
  expect(await workRows(place.context.db, 'version')).toHaveLength(accountVersionRecordsMax)
  start()
  await eventually(async () => expect(place.pds.requests.join()).toContain('getRecord'))
  await write(1, bobsPds)
  await enqueue(bob, 1)
  await eventually(async () => expect(await isKept(1, bob)).toBe(true))
  held.resolve(new Response('', { status: 500 }))
})
