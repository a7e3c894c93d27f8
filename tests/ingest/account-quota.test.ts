import { afterEach, beforeEach, expect, test } from 'bun:test'
import { ingestSite } from '#ingest/ingest-site.ts'
import { overAccountBytes } from '#site/limits.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { findSite } from '#store/sites/sites.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
})
afterEach(() => place[Symbol.asyncDispose]())

const publish = (name: string, bytes: number) =>
  publishFiles(name, { 'a.txt': name[0]?.repeat(bytes) ?? '' })

async function publishFiles(name: string, files: Record<string, string>) {
  await place.write(name, files)
  const limits = { ...place.context.limits, accountBytesMax: 1000 }
  return await ingestSite(siteOf(name), { ...place.context, limits })
}

const twice = (bytes: number) => ({ 'a.txt': 'x'.repeat(bytes), 'b.txt': 'x'.repeat(bytes) })

test('a version with which the account’s sites take too much is refused, unfetched; the one before stays live', async () => {
  expect(await publish('a', 400)).toBe('went-live')
  expect(await publish('b', 600)).toBe('went-live')
  const before = await findSite(place.context.db, siteOf('a'))
  const fetched = () => place.pds.requests.filter((request) => request.startsWith('getBlob')).length
  const fetchedBefore = fetched()
  expect(await publish('a', 401)).toBe('refused')
  expect(fetched()).toBe(fetchedBefore)
  expect(await findSite(place.context.db, siteOf('a'))).toMatchObject({
    live: { recordCid: before?.live?.recordCid },
    refused: { problems: [overAccountBytes(1000)] },
  })
  expect(await publish('b', 599)).toBe('went-live')
  expect(await publish('a', 401)).toBe('went-live')
})

test('each file of a version counts as it does once the version is live', async () => {
  expect(await publish('b', 600)).toBe('went-live')
  expect(await publishFiles('a', twice(201))).toBe('refused')
  expect(await findSite(place.context.db, siteOf('a'))).toMatchObject({
    live: null,
    refused: { problems: [overAccountBytes(1000)] },
  })
  expect(await publishFiles('a', twice(200))).toBe('went-live')
  expect(await publish('b', 601)).toBe('refused')
  expect(await publish('b', 600)).toBe('already-live')
})
