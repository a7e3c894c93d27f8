import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { backfill, enqueueNetwork } from '#ingest/backfill.ts'
import { foreignNamespaces } from '#site/namespace.ts'
import type { Did } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { enqueueKnownAccounts } from '#store/queues/enqueue.ts'
import { listServedLabels } from '#store/sites/sites.ts'
import { queuedAccounts } from '#tests/support/database/queued-accounts.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { countIngest } from '#tests/support/publishing/count-ingest.ts'
import {
  type IngestPlace,
  manifestOf,
  openIngestPlace,
} from '#tests/support/publishing/ingest-place.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
})
afterEach(() => place[Symbol.asyncDispose]())

const queued = async () => (await queuedAccounts(place.context.db)).length
const served = async () => (await listServedLabels(place.context.db)).length

test('every known account is read, and then nothing is left to do', async () => {
  for (const name of ['blog', 'shop']) await place.write(name)
  expect(await enqueueKnownAccounts(place.context)).toBe(1)
  expect(await backfill(place.context)).toEqual({
    accounts: 1,
    sites: 2,
    failedAccounts: 0,
    failedSites: 0,
  })
  expect([await served(), await queued()]).toEqual([2, 0])
})

test('what fails is counted, and left to the queues', async () => {
  await upsertAccount(place.context.db, { did: 'did:web:nobody.invalid' as Did }, 1)
  await place.write('whole', { 'index.html': 'here' })
  await place.write('broken', { 'index.html': 'not to be had' })
  const { $link } = place.pds.addBlob('not to be had').ref
  place.pds.lies.blob = (honest, cid) => new Response(honest, { status: cid === $link ? 500 : 200 })
  await enqueueKnownAccounts(place.context)
  expect(await backfill(place.context)).toEqual({
    accounts: 1,
    sites: 1,
    failedAccounts: 1,
    failedSites: 1,
  })
  expect([await queued(), await countIngest(place.context.db)]).toEqual([1, 1])
})

test('one that is stopped goes on with the next', async () => {
  for (const name of ['blog', 'shop']) await place.write(name)
  await enqueueKnownAccounts(place.context)
  const stop = new AbortController()
  place.pds.lies.blob = () => {
    stop.abort()
    return new Response('', { status: 500 })
  }
  await backfill({ ...place.context, signal: stop.signal })
  expect(await queued()).toBe(1)
  delete place.pds.lies.blob
  expect(await backfill(place.context)).toMatchObject({ accounts: 1, sites: 2 })
})

test('one that was killed leaves its accounts to the next, when nobody holds them any more', async () => {
  await place.write('blog')
  await enqueueKnownAccounts(place.context)
  await place.context.db
    .updateTable('workItems')
    .where('kind', '=', 'account')
    .set({ leasedUntil: place.now + 6_000 })
    .execute()
  expect(await backfill(place.context)).toMatchObject({ accounts: 0 })
  place.now += 6_000
  expect(await backfill(place.context)).toMatchObject({ accounts: 1, sites: 1 })
})

describe('a relay that lists accounts by collection', () => {
  const carol = 'did:plc:cccccccccccccccccccccccc' as Did
  const listed: Readonly<Record<string, readonly Did[]>> = {
    'place.sitehost.fs': [alice, bob],
    'place.wisp.fs': [alice, carol],
  }
  let relay: Bun.Server<undefined>
  beforeEach(() => {
    relay = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch({ url }) {
        const dids = listed[new URL(url).searchParams.get('collection') ?? ''] ?? []
        return Response.json({ repos: dids.map((did) => ({ did })) })
      },
    })
  })
  afterEach(() => relay.stop(true))

  const queuedDids = async () => (await queuedAccounts(place.context.db)).map(({ did }) => did)
  const queueAll = (alsoServe: typeof foreignNamespaces) =>
    enqueueNetwork(relay.url.origin, { ...place.context, alsoServe })

  test('is asked for one’s own network alone', async () => {
    expect(await queueAll([])).toBe(2)
    expect(await queuedDids()).toEqual([alice, bob])
  })

  test('is asked for each network that is served; who has sites of both is counted and read once', async () => {
    expect(await queueAll(foreignNamespaces)).toBe(3)
    expect(await queuedDids()).toEqual([alice, bob, carol])
  })

  test('leads to the sites of other networks', async () => {
    await place.write('blog')
    const record = manifestOf('blog', { 'index.html': 'theirs' }, place.pds)
    await place.pds.putRecord('place.wisp.fs/blog', { ...record, $type: 'place.wisp.fs' })
    await queueAll(foreignNamespaces)
    const context = { ...place.context, alsoServe: foreignNamespaces }
    // Bob and Carol have no server.
    expect(await backfill(context)).toMatchObject({ accounts: 1, sites: 2, failedAccounts: 2 })
    expect(await served()).toBe(2)
  })
})
