import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rawCid } from '#atproto/repo/raw-cid.ts'
import { BlobUnavailableError } from '#ingest/blobs/fetch-blob.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberBlob } from '#store/blobs/blobs.ts'
import { rememberReceived } from '#store/blobs/received-blobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { findSite } from '#store/sites/sites.ts'
import { alice, bob, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'

const blog = siteOf('blog')
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest()
const keyOf = (content: string) =>
  ({ cid: rawCid(sha256(content)), coding: 'identity', base64: false }) as const

describe('a blob that another account has here', () => {
  let place: IngestPlace
  beforeEach(async () => {
    place = await openIngestPlace()
    for (const did of [alice, bob]) await upsertAccount(place.context.db, { did }, 1)
    await bobHas('shared')
  })
  afterEach(() => place[Symbol.asyncDispose]())

  async function bobHas(content: string): Promise<void> {
    const { blobs, db } = place.context
    const { hash, bytes } = await blobs.put(Buffer.from(content))
    const facts = { hash, storedBytes: bytes, decodedHash: hash, decodedBytes: bytes }
    await rememberBlob(db, { ...keyOf(content), ...facts }, 1)
    const snapshot = JSON.stringify([hash])
    await recordVersion(
      db,
      newVersion({ site: siteOf('notes', bob), label: 's--bob', snapshot }),
      1,
    )
  }
  const ingest = () => ingestSite(blog, place.context)
  const fetched = () =>
    place.pds.requests.flatMap((request) => /^getBlob (.*)/.exec(request)?.[1] ?? [])
  const isLive = async () => (await findSite(place.context.db, blog))?.live != null
  const lost = (cid: string) => {
    place.pds.lies.blob = (honest, asked) =>
      asked === cid ? new Response(null, { status: 400 }) : new Response(honest)
  }

  test('comes from the server of whoever names it', async () => {
    await place.write('blog', { 'index.html': 'shared' })
    expect(await ingest()).toBe('went-live')
    expect(fetched()).toEqual([keyOf('shared').cid])
  })

  test('is not for whoever only knows its hash: nothing goes live', async () => {
    await place.write('blog', { 'index.html': 'shared' })
    lost(keyOf('shared').cid)
    await expect(ingest()).rejects.toThrow(BlobUnavailableError)
    expect(await isLive()).toBe(false)
  })

  test('says nothing about its size either', async () => {
    const entries = [{ name: 'index.html', node: fileOf('shared', 7) }]
    const root = { type: 'directory', entries }
    const createdAt = '2026-01-01T00:00:00.000Z'
    const record = { $type: 'place.sitehost.fs', site: 'blog', root, createdAt }
    await place.pds.putRecord('place.sitehost.fs/blog', record)
    lost(keyOf('shared').cid)
    await expect(ingest()).rejects.toThrow(BlobUnavailableError)
  })
  const fileOf = (content: string, size: number) => ({
    type: 'file',
    blob: { ...place.pds.addBlob(content), size },
    mimeType: 'text/html',
  })

  test('is fetched once, also when the version does not become whole', async () => {
    await place.write('blog', { 'index.html': 'shared', 'other.html': 'other' })
    lost(keyOf('other').cid)
    await expect(ingest()).rejects.toThrow(BlobUnavailableError)
    delete place.pds.lies.blob
    place.pds.requests.length = 0
    expect(await ingest()).toBe('went-live')
    expect(fetched()).toEqual([keyOf('other').cid])
    await place.write('blog', { 'index.html': 'shared', 'new.html': 'other' })
    expect(await ingest()).toBe('went-live')
    expect(fetched()).toHaveLength(1)
  })

  test('is not fetched when its account has uploaded it here', async () => {
    await rememberReceived(place.context.db, alice, [keyOf('shared')], place.now)
    await place.write('blog', { 'index.html': 'shared' })
    expect(await ingest()).toBe('went-live')
    expect(fetched()).toEqual([])
  })
})
