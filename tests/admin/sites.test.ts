import { afterEach, beforeEach, expect, test } from 'bun:test'
import { purgeSiteBlobs, verifySiteBlobs } from '#admin/sites.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { listBlobHashes } from '#store/blobs/blobs.ts'
import { withLease } from '#store/leases.ts'
import { listAuditEntries } from '#store/moderation/audit.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { listOf } from '../support/blob-store-contract.ts'

const by = { actor: 'ann', reason: 'a court said so' }
const blog = siteOf('blog')
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

onEachStore('an administrator', (db) => {
  let place: IngestPlace
  beforeEach(async () => {
    place = await openIngestPlace(db())
    await upsertAccount(db(), { did: alice }, 1)
    await place.write('blog', { 'index.html': 'home', 'about.html': 'about' })
    await ingestSite(blog, place.context)
  })
  afterEach(() => place[Symbol.asyncDispose]())

  const stored = () => listOf(place.context.blobs)
  const rows = () => listBlobHashes(db(), { after: '', limit: 10 })
  const queued = () => db().selectFrom('workItems').select(['kind', 'did', 'site']).execute()
  const audit = async () =>
    (await listAuditEntries(db(), { limit: 9 })).map(({ action, subject, details }) => [
      action,
      subject,
      details,
    ])

  test('purges a site’s stored bytes', async () => {
    const purge = (name = 'blog') => purgeSiteBlobs(siteOf(name), by, place.context)
    expect(await purge()).toEqual({ removed: 2, kept: 0 })
    expect([await stored(), await rows()]).toEqual([[], []])
    expect(await purge('unknown')).toBeNull()
    expect(await audit()).toEqual([['site.purge-blobs', `${alice}/blog`, {}]])
  })

  test('does not purge alongside another process that does', async () => {
    const purge = () => purgeSiteBlobs(blog, by, place.context)
    expect(await withLease(db(), 'blob purge', purge)).toBe('busy')
    expect([await stored(), await audit()]).toEqual([
      expect.arrayContaining([expect.any(String)]),
      [],
    ])
    expect(await purge()).toEqual({ removed: 2, kept: 0 })
  })

  test('verifies a site’s stored bytes; damaged ones are forgotten, and the site is read again', async () => {
    const verify = (name = 'blog') => verifySiteBlobs(siteOf(name), by, place.context)
    expect(await verify()).toEqual({ files: 2, damaged: 0 })
    expect(await queued()).toEqual([])
    await place.context.blobs.delete(sha256('home'))
    expect(await verify()).toEqual({ files: 2, damaged: 1 })
    expect(await rows()).toEqual([sha256('about')])
    expect(await queued()).toEqual([{ kind: 'site', did: alice, site: blog.name }])
    expect(await verify('unknown')).toBeNull()
    const [damaged, intact] = await audit()
    expect(intact).toEqual(['site.verify-blobs', `${alice}/blog`, { files: 2, damaged: 0 }])
    expect(damaged).toEqual(['site.verify-blobs', `${alice}/blog`, { files: 2, damaged: 1 }])
  })
})
