import { expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { type IngestContext, ingestSite } from '#ingest/ingest-site.ts'
import { RefusedContents } from '#ingest/read/refused-contents.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { findSite } from '#store/sites/sites.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'

const hourMs = 60 * 60_000
const manifestPath = 'place.sitehost.fs/blog'
const partPath = 'place.sitehost.subfs/part'

onEachStore('a refused version', (db) => {
  /** Its blobs inflate to more than a file may have. */
  const openRefused = async () => {
    const place = await openIngestPlace(db())
    await upsertAccount(db(), { did: alice }, 1)
    await writeBombs(place, 'first')
    const remembering = rememberingContext(place)
    /** How many blobs were fetched by one more look, which refuses the version. */
    const fetchedBy = async (context: IngestContext = remembering): Promise<number> => {
      place.pds.requests.length = 0
      expect(await ingestSite(siteOf('blog'), context)).toBe('refused')
      const { refused } = (await findSite(db(), siteOf('blog'))) ?? {}
      expect(refused?.problems.join()).toContain('is larger than 10000 bytes')
      return place.pds.requests.filter((request) => request.startsWith('getBlob')).length
    }
    return {
      place,
      remembering,
      fetchedBy,
      [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
    }
  }

  test('is not fetched again, for an hour', async () => {
    await using at = await openRefused()
    expect(await at.fetchedBy()).toBe(3)
    expect([await at.fetchedBy(), await at.fetchedBy()]).toEqual([0, 0])
    at.place.now += hourMs - 1
    expect(await at.fetchedBy()).toBe(0)
    at.place.now += 1
    expect(await at.fetchedBy()).toBe(3)
  })

  test('is fetched by who asks for it, and for other settings, parts, limits and records', async () => {
    await using at = await openRefused()
    const { place, remembering, fetchedBy } = at
    await fetchedBy()
    expect(await fetchedBy(place.context)).toBe(3)
    await place.pds.putRecord('place.sitehost.settings/blog', { cleanUrls: true })
    expect([await fetchedBy(), await fetchedBy()]).toEqual([3, 0])
    await writePart(place, 'another part')
    expect([await fetchedBy(), await fetchedBy()]).toEqual([3, 0])
    const limited = { ...remembering, limits: { ...remembering.limits, siteBytesMax: 90_000 } }
    expect([await fetchedBy(limited), await fetchedBy(limited)]).toEqual([3, 0])
    await writeBombs(place, 'second')
    expect([await fetchedBy(), await fetchedBy()]).toEqual([3, 0])
  })

  test('for its account’s quota is judged anew when there is room', async () => {
    await using place = await openIngestPlace(db())
    await upsertAccount(db(), { did: alice }, 1)
    const limits = { ...place.context.limits, accountBytesMax: 100 }
    const context = { ...rememberingContext(place), limits }
    await place.write('other', { 'a.txt': 'x'.repeat(90) })
    await place.write('blog', { 'a.txt': 'y'.repeat(20) })
    expect(await ingestSite(siteOf('other'), context)).toBe('went-live')
    expect(await ingestSite(siteOf('blog'), context)).toBe('refused')
    place.pds.deleteRecord('place.sitehost.fs/other')
    expect(await ingestSite(siteOf('other'), context)).toBe('removed')
    expect(await ingestSite(siteOf('blog'), context)).toBe('went-live')
  })
})

const rememberingContext = (place: IngestPlace) => ({
  ...place.context,
  refusedContents: new RefusedContents({ elapsed: () => place.now }),
})

/** Three bombs, one of them in a part. */
async function writeBombs(place: IngestPlace, text: string): Promise<void> {
  await writePart(place, text)
  const subject = `at://${alice}/${partPath}`
  await place.pds.putRecord(manifestPath, {
    $type: 'place.sitehost.fs',
    site: 'blog',
    root: {
      type: 'directory',
      entries: [
        { name: 'a.txt', node: bomb(place, `${text} a`) },
        { name: 'b.txt', node: bomb(place, `${text} b`) },
        { name: 'c', node: { $type: 'place.sitehost.fs#subfs', type: 'subfs', subject } },
      ],
    },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
}

async function writePart(place: IngestPlace, text: string): Promise<void> {
  const entries = [{ name: 'c.txt', node: bomb(place, `${text} c`) }]
  await place.pds.putRecord(partPath, {
    $type: 'place.sitehost.subfs',
    root: { type: 'directory', entries },
    createdAt: '2026-01-01T00:00:00.000Z',
  })
}

const bomb = ({ pds }: IngestPlace, text: string): object => ({
  type: 'file',
  blob: pds.addBlob(gzipSync(text.repeat(5_000))),
  mimeType: 'text/plain',
  encoding: 'gzip',
})
