import { afterEach, beforeEach, expect, test } from 'bun:test'
import { purgeUnnamed } from '#ingest/blobs/purge-blobs.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { ingestVersion } from '#ingest/ingest-version.ts'
import type { SafeFetch } from '#outbound/safe-fetch.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { listBlobHashes } from '#store/blobs/blobs.ts'
import { alice, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import {
  type IngestPlace,
  manifestOf,
  openIngestPlace,
} from '#tests/support/publishing/ingest-place.ts'

const [blog, other] = [siteOf('blog'), siteOf('other')]

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  await upsertAccount(place.context.db, { did: alice }, 1)
  await place.write('other', { 'index.html': 'shared' })
  await ingestSite(other, place.context)
})
afterEach(() => place[Symbol.asyncDispose]())

/** While other blobs are fetched, the site that named `shared` goes, with its bytes. */
function whilePurged() {
  const { context, pds } = place
  let isPurged = false
  const fetch: SafeFetch = async (input, init) => {
    if (String(input).includes('getBlob') && !isPurged) {
      isPurged = true
      const hashes = await listBlobHashes(context.db, { after: '', limit: 10 })
      pds.deleteRecord('place.sitehost.fs/other')
      expect(await ingestSite(other, context)).toBe('removed')
      expect(await purgeUnnamed(hashes, context)).toEqual(hashes)
    }
    return await context.fetch(input, init)
  }
  return { ...context, fetch }
}

test('a site that loses a blob while it is read is read once more', async () => {
  await place.write('blog', { 'index.html': 'shared', 'new.html': 'new' })
  expect(await ingestSite(blog, whilePurged())).toBe('went-live')
  expect(await workRows(place.context.db, 'site')).toMatchObject([{ did: alice, site: 'blog' }])
  expect(await ingestSite(blog, place.context)).toBe('already-live')
  const hashes = await listBlobHashes(place.context.db, { after: '', limit: 10 })
  expect(hashes).toHaveLength(2)
  for (const hash of hashes) expect(await place.context.blobs.has(hash)).toBe(true)
})

test('a version too', async () => {
  const key = versionKeyOf(1)
  const files = { 'index.html': 'shared', 'new.html': 'new' }
  await place.pds.putRecord(`place.sitehost.version/${key}`, {
    ...manifestOf('blog', files, place.pds),
    $type: 'place.sitehost.version',
    pinned: true,
  })
  expect(await ingestVersion({ did: alice, key }, whilePurged())).toBe('kept')
  expect(await workRows(place.context.db, 'version')).toMatchObject([{ did: alice, site: key }])
})
