import { afterEach, beforeEach, expect, test } from 'bun:test'
import { stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { BlobStorageError } from '#blobs/blob-store.ts'
import { scrubBlobs } from '#ingest/blobs/scrub-blobs.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { ingestVersion } from '#ingest/ingest-version.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { alice, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { workRows } from '#tests/support/database/work-rows.ts'
import { countIngest } from '#tests/support/publishing/count-ingest.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { eventually } from '../support/eventually.ts'

const roundMs = 30 * 24 * 60 * 60 * 1000
// More than the hundred hashes that are listed at a time.
const contents = Array.from({ length: 110 }, (_, n) => `page ${n}`)

let place: IngestPlace
/** Hashes that were read, in this order. */
let read: string[]
let unreadable: string | null
beforeEach(async () => {
  place = await openIngestPlace()
  read = []
  unreadable = null
  await upsertAccount(place.context.db, { did: alice }, 1)
  await place.write('blog', Object.fromEntries(contents.map((text) => [`${text}.txt`, text])))
  await ingestSite(siteOf('blog'), place.context)
})
afterEach(() => place[Symbol.asyncDispose]())

const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
const hashes = contents.map(sha256).sort()

const scrub = (facts: { bytesPerCallMax?: number; bytesPerSecondMax?: number } = {}) =>
  scrubBlobs(roundMs, {
    ...place.context,
    ...facts,
    blobs: {
      verify(hash, afterPiece) {
        read.push(hash)
        if (hash === unreadable)
          throw new BlobStorageError('failed', { cause: new Error('EACCES') })
        return place.context.blobs.verify(hash, afterPiece)
      },
    },
  })

test('within the time of a round everything is read once, evenly spread', async () => {
  await scrub()
  expect(read).toEqual([])
  const counts: number[] = []
  for (let n = 0; n < 4; n++) {
    place.now += roundMs / 4
    const before = read.length
    await scrub()
    counts.push(read.length - before)
  }
  expect(read).toEqual(hashes)
  for (const count of counts) expect(count).toBeWithin(14, 41)
  place.now += roundMs / 4
  await scrub()
  await scrub()
  expect(read).toHaveLength(hashes.length)
  place.now += roundMs
  await scrub()
  expect(read).toEqual([...hashes, ...hashes])
})

test('a call reads no more than it may; the next goes on after it', async () => {
  await scrub()
  place.now += roundMs
  await scrub({ bytesPerCallMax: 100 })
  expect(read.length).toBeWithin(10, 20)
  for (let n = 0; n < 20; n++) await scrub({ bytesPerCallMax: 100 })
  expect(read).toEqual(hashes)
})

test('a clock that was put back keeps nothing from being read', async () => {
  place.now += 10 * roundMs
  await scrub()
  place.now -= 10 * roundMs
  await scrub()
  place.now += roundMs
  await scrub()
  expect(read).toEqual(hashes)
})

test('one that cannot be read keeps no other from being read or mended', async () => {
  const [missing = ''] = hashes
  unreadable = hashes[1] ?? ''
  await place.context.blobs.delete(missing)
  await scrub()
  place.now += roundMs
  await scrub()
  expect(read).toEqual(hashes)
  expect(place.logged).toEqual(
    expect.arrayContaining(['blob scrub failed', 'blob lost, site queued']),
  )
  expect(await countIngest(place.context.db)).toBe(1)
  await scrub()
  expect(read).toHaveLength(hashes.length)
})

test('no more is read in a second than may be', async () => {
  await scrub()
  place.now += roundMs
  const begun = performance.now()
  await scrub({ bytesPerSecondMax: 10_000 })
  const bytes = contents.join('').length
  expect(performance.now() - begun).toBeGreaterThan((bytes / 10_000) * 1000)
})

test('a service that stops does not wait for the rest of it', async () => {
  await scrub()
  place.now += roundMs
  const scrubbed = scrub({ bytesPerSecondMax: 0.001 })
  await eventually(async () => expect(read).toHaveLength(1))
  place.stop.abort()
  await scrubbed
  expect(read).toHaveLength(1)
})

test('what is damaged or missing is fetched again, and its site is named in the log', async () => {
  const [rotten = '', missing = ''] = hashes
  const path = join(place.blobsDir, rotten.slice(0, 2), rotten.slice(2))
  const { atime, mtime } = await stat(path)
  await Bun.write(path, 'page X')
  await utimes(path, atime, mtime)
  await place.context.blobs.delete(missing)
  await scrub()
  place.now += roundMs
  await scrub()
  expect(place.logged).toContain('blob lost, site queued')
  expect(await countIngest(place.context.db)).toBe(1)
  await ingestSite(siteOf('blog'), place.context)
  read = []
  place.now += roundMs
  await scrub()
  place.now += roundMs
  await scrub()
  expect(read).toEqual(hashes)
  for (const hash of [rotten, missing]) {
    expect(await (await place.context.blobs.open(hash))?.text()).toStartWith('page ')
  }
  expect(place.logged.filter((line) => line.startsWith('blob lost'))).toHaveLength(1)
})

test('a damaged blob that a kept version names is fetched again', async () => {
  const { context, pds } = place
  const key = { did: alice, key: versionKeyOf(1) }
  await pds.putRecord(`place.sitehost.version/${key.key}`, {
    $type: 'place.sitehost.version',
    site: 'shop',
    root: {
      type: 'directory',
      entries: [{ name: 'a.txt', node: { type: 'file', blob: pds.addBlob('kept') } }],
    },
    createdAt: new Date(place.now).toISOString(),
  })
  await ingestVersion(key, context)
  await context.blobs.delete(sha256('kept'))
  await scrub()
  place.now += roundMs
  await scrub()
  expect(place.logged).toContain('blob lost, version queued')
  expect(await workRows(context.db, 'version')).toMatchObject([{ did: alice, site: key.key }])
  expect(await countIngest(context.db)).toBe(0)
})
