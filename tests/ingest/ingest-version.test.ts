import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { P256PrivateKeyExportable } from '@atcute/crypto'
import { ProofError } from '#atproto/repo/verified-record.ts'
import { ingestSite } from '#ingest/ingest-site.ts'
import { ingestVersion } from '#ingest/ingest-version.ts'
import { PartMissingError } from '#ingest/read/read-files.ts'
import { SiteFirstError } from '#ingest/site-first.ts'
import { overAccountVersions, previewMs, versionRecordsMax } from '#site/limits.ts'
import { decodeSnapshot } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { rememberVisited } from '#store/lifecycle/visited-accounts.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { enqueueSites } from '#store/queues/enqueue.ts'
import { findSite } from '#store/sites/sites.ts'
import { tooManyVersions } from '#store/sites/version-records/oldest-version-records.ts'
import { findVersionByLabel } from '#store/sites/version-records/version-addresses.ts'
import {
  findVersionRecord,
  findVersionSnapshot,
  listVersionRecords,
} from '#store/sites/version-records/version-records.ts'
import { findLiveSnapshot } from '#store/sites/versions.ts'
import { alice, bob, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { clearWork } from '#tests/support/database/work-rows.ts'
import { type IngestPlace, openIngestPlace } from '#tests/support/publishing/ingest-place.ts'
import { carOf, proofOf } from '#tests/support/servers/fake-pds.ts'

let place: IngestPlace
beforeEach(async () => {
  place = await openIngestPlace()
  place.now = Date.parse('2026-02-01T00:00:00Z')
  await upsertAccount(place.context.db, { did: alice }, 1)
})
afterEach(() => place[Symbol.asyncDispose]())

const blog = siteOf('blog')
const keyOf = (n: number) => ({ did: alice, key: versionKeyOf(n) })
const pathOf = (n: number): string => `place.sitehost.version/${versionKeyOf(n)}`
const fileOf = (content: string) => ({
  type: 'file',
  blob: place.pds.addBlob(content),
  mimeType: 'text/html',
})
const rootOf = (files: Record<string, unknown>) => ({
  type: 'directory',
  entries: Object.entries(files).map(([name, node]) => ({ name, node })),
})

/** Alice writes the n-th version record: live once, of one file, unless these facts say something else. */
const write = (n: number, facts: Record<string, unknown> = {}): Promise<string> =>
  place.pds.putRecord(pathOf(n), {
    $type: 'place.sitehost.version',
    site: 'blog',
    root: rootOf({ 'index.html': fileOf(`page ${n}`) }),
    createdAt: '2026-01-01T00:00:00.000Z',
    manifest: 'bafyreibmf4jqzfmv5cnyyz6ljxoc4rnmaxm2xqdsjkunnvkwpxcqr4ajgu',
    ...facts,
  })
const ingest = (n: number, limits: object = {}) =>
  ingestVersion(keyOf(n), {
    ...place.context,
    limits: { ...place.context.limits, ...limits },
  })
const found = (n: number) => findVersionRecord(place.context.db, keyOf(n))
const snapshotOf = async (n: number) => {
  const text = await findVersionSnapshot(place.context.db, keyOf(n))
  return text === null ? null : decodeSnapshot(text)
}
const fetched = () => place.pds.requests.filter((request) => request.startsWith('getBlob')).length

/** That the version is refused with a problem like this one. */
async function refuses(n: number, problem: string, limits?: object): Promise<void> {
  expect(await ingest(n, limits)).toBe('refused')
  const version = await found(n)
  expect(version?.problems.join('; ')).toContain(problem)
  expect(version).toMatchObject({ state: 'refused', label: null, hasContent: false })
}

test('a version is kept with its files, its settings and what it says about itself', async () => {
  const cid = await write(1, {
    message: 'first',
    source: { ref: 'main' },
    settings: { cleanUrls: true },
  })
  expect(await ingest(1)).toBe('kept')
  expect(await found(1)).toMatchObject({
    site: 'blog',
    cid,
    message: 'first',
    source: { ref: 'main' },
    createdAt: Date.parse('2026-01-01'),
    expiresAt: null,
    fileCount: 1,
    bytes: 6,
  })
  const snapshot = await snapshotOf(1)
  expect(snapshot?.settings).toMatchObject({ cleanUrls: true })
  expect([...(snapshot?.files.keys() ?? [])]).toEqual(['index.html'])
  const label = (await found(1))?.label ?? ''
  expect(label).toMatch(/^v--[a-z2-7]{26}$/)
  expect(await findVersionByLabel(place.context.db, label, place.now)).toMatchObject(blog)
})

test('the same content has the same address, and a version has the files of its manifest', async () => {
  await place.write('blog', { 'index.html': 'page 1' })
  await ingestSite(blog, place.context)
  await write(1)
  await write(2, { root: rootOf({ 'index.html': fileOf('page 1') }), message: 'again' })
  await ingest(1)
  await ingest(2)
  expect((await found(1))?.label).toBe((await found(2))?.label)
  const live = await place.context.db.selectFrom('versions').selectAll().executeTakeFirstOrThrow()
  expect((await found(1))?.filesDigest).toBe(live.filesDigest)
  expect(fetched()).toBe(1)
})

test('its files may be in parts', async () => {
  const uri = `at://${alice}/place.sitehost.subfs/part`
  await place.pds.putRecord('place.sitehost.subfs/part', {
    $type: 'place.sitehost.subfs',
    root: rootOf({ 'a.html': fileOf('a') }),
    fileCount: 1,
    createdAt: '2026-01-01T00:00:00.000Z',
  })
  await write(1, { root: rootOf({ docs: { type: 'subfs', subject: uri, flat: false } }) })
  expect(await ingest(1)).toBe('kept')
  expect([...((await snapshotOf(1))?.files.keys() ?? [])]).toEqual(['docs/a.html'])
})

describe('the version of a site that was just read', () => {
  const parts = 9
  const uriOf = (n: number) => `at://${alice}/place.sitehost.subfs/part${n}`
  const root = rootOf(
    Object.fromEntries(
      Array.from({ length: parts }, (_, n) => [
        `folder${n}`,
        { type: 'subfs', subject: uriOf(n), flat: false },
      ]),
    ),
  )
  /** With its files in parts. */
  const publish = async (facts: Record<string, unknown> = {}) => {
    for (let n = 0; n < parts; n++) {
      await place.pds.putRecord(`place.sitehost.subfs/part${n}`, {
        $type: 'place.sitehost.subfs',
        root: rootOf({ 'a.html': fileOf(`file ${n}`) }),
        createdAt: '2026-01-01T00:00:00.000Z',
      })
    }
    const manifest = await place.pds.putRecord('place.sitehost.fs/blog', {
      ...{ $type: 'place.sitehost.fs', site: 'blog', root },
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    await write(1, { root, manifest, ...facts })
    await ingestSite(blog, place.context)
    place.pds.requests.length = 0
  }
  const liveSnapshot = () => findLiveSnapshot(place.context.db, blog)

  test('costs one request, and has its snapshot', async () => {
    await publish()
    expect(await ingest(1)).toBe('kept')
    expect(place.pds.requests).toEqual([`getRecord ${pathOf(1)}`])
    expect(await findVersionSnapshot(place.context.db, keyOf(1))).toBe(await liveSnapshot())
  })

  test('has its own settings', async () => {
    await publish({ settings: { cleanUrls: true } })
    expect(await ingest(1)).toBe('kept')
    expect((await snapshotOf(1))?.settings).toMatchObject({ cleanUrls: true })
  })

  test('fetches what was lost here meanwhile', async () => {
    await publish()
    const stored = new Bun.Glob('[0-9a-f][0-9a-f]/*').scan(place.blobsDir)
    for await (const file of stored) await rm(join(place.blobsDir, file))
    expect(await ingest(1)).toBe('kept')
    expect(fetched()).toBe(parts)
  })

  test('is refused when its record lies about a size', async () => {
    const file = fileOf('file 0')
    await place.write('blog', { 'index.html': 'file 0' })
    await ingestSite(blog, place.context)
    const manifest = (await findSite(place.context.db, blog))?.live?.recordCid
    const wrong = { ...file, blob: { ...file.blob, size: 7 } }
    await write(1, { manifest, root: rootOf({ 'index.html': wrong }) })
    await refuses(1, 'is not what the record names')
  })

  test('has a part that was changed since, as it is now', async () => {
    await publish()
    await place.pds.putRecord('place.sitehost.subfs/part4', {
      $type: 'place.sitehost.subfs',
      root: rootOf({ 'b.html': fileOf('changed') }),
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    expect(await ingest(1)).toBe('kept')
    expect((await snapshotOf(1))?.files.has('folder4/b.html')).toBe(true)
    expect((await snapshotOf(1))?.files.has('folder4/a.html')).toBe(false)
    expect(fetched()).toBe(1)
  })
})

test('read again, it changes nothing; removed, it is gone', async () => {
  await write(1)
  await ingest(1)
  expect(await ingest(1)).toBe('unchanged')
  place.pds.deleteRecord(pathOf(1))
  expect(await ingest(1)).toBe('removed')
  expect(await found(1)).toBeNull()
  expect(await listVersionRecords(place.context.db, blog, { limit: 9 })).toEqual([])
})

test('an old proof does not bring a removed version back, and writing it again does', async () => {
  await write(1)
  const before = place.pds.rev
  await ingest(1)
  place.pds.deleteRecord(pathOf(1))
  await ingest(1)
  await write(1)
  place.pds.lies.proof = async (honest) => await carOf(await proofOf({ ...honest, rev: before }))
  expect(await ingest(1)).toBe('outdated')
  expect(await found(1)).toBeNull()
  delete place.pds.lies.proof
  expect(await ingest(1)).toBe('kept')
})

test('a deletion and a new record one after the other leave the last state, whatever is read when', async () => {
  for (let n = 0; n < 5; n++) {
    await write(1, { message: `round ${n}` })
    if (n % 2 === 0) await ingest(1)
    place.pds.deleteRecord(pathOf(1))
    if (n % 3 === 0) await ingest(1)
  }
  await write(1, { message: 'last' })
  await ingest(1)
  expect((await found(1))?.message).toBe('last')
})

test('it waits until its site has been read, which fetches most of its blobs', async () => {
  await write(1)
  await enqueueSites(place.context, [blog])
  await expect(ingest(1)).rejects.toBeInstanceOf(SiteFirstError)
  place.now += 60_000
  expect(await ingest(1)).toBe('kept')
  await clearWork(place.context.db, 'site')
  expect(await ingest(1)).toBe('unchanged')
})

test('the version that is live does not wait for its site', async () => {
  const manifest = await place.write('blog', { 'index.html': 'page 1' })
  await ingestSite(blog, place.context)
  await enqueueSites(place.context, [blog])
  await write(1, { manifest })
  expect(await ingest(1)).toBe('kept')
  await write(2)
  await expect(ingest(2)).rejects.toBeInstanceOf(SiteFirstError)
})

describe('hostile', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['a site of another account', { site: `at://${bob}/place.sitehost.fs/blog` }, 'site'],
    ['no site name', { site: '' }, 'site'],
    ['no root', { root: { type: 'directory' } }, 'entries'],
    ['no date', { createdAt: 'yesterday' }, 'createdAt'],
  ])('%s', async (_, facts, problem) => {
    await write(1, facts)
    await refuses(1, problem)
    expect(fetched()).toBe(0)
  })

  test('a record that names its site is listed there, whatever else is wrong', async () => {
    await write(1, { root: 7 })
    expect(await ingest(1)).toBe('refused')
    expect(await listVersionRecords(place.context.db, blog, { limit: 9 })).toHaveLength(1)
  })

  test('optional fields that make no sense', async () => {
    const nonsense = { message: 7, source: [], alias: 'A--b', pinned: 'yes', settings: 'x' }
    await write(1, { ...nonsense, manifest: {}, expiresAt: 'soon', bytes: -1 })
    expect(await ingest(1)).toBe('kept')
    expect(await found(1)).toMatchObject({
      ...{ message: null, source: null, alias: null, pinned: false, manifest: null },
      expiresAt: Date.parse('2026-01-01') + previewMs,
    })
  })

  test('a forged proof', async () => {
    await write(1)
    place.pds.lies.proof = async (honest) => {
      const key = await P256PrivateKeyExportable.createKeypair()
      return await carOf(await proofOf({ ...honest, key }))
    }
    await expect(ingest(1)).rejects.toBeInstanceOf(ProofError)
    expect(await found(1)).toBeNull()
  })

  test('a part that is missing, foreign, or contains itself', async () => {
    const uri = (did: string) => `at://${did}/place.sitehost.subfs/part`
    const naming = (did: string) =>
      rootOf({ docs: { type: 'subfs', subject: uri(did), flat: false } })
    await write(1, { root: naming(alice) })
    await expect(ingest(1)).rejects.toBeInstanceOf(PartMissingError)
    expect(await found(1)).toBeNull()
    await write(2, { root: naming(bob) })
    await refuses(2, 'part')
    await place.pds.putRecord('place.sitehost.subfs/part', {
      $type: 'place.sitehost.subfs',
      root: naming(alice),
      createdAt: '2026-01-01T00:00:00.000Z',
    })
    await refuses(1, 'part')
  })

  test('blobs that are not what the record names, and too many bytes', async () => {
    const other = { ...place.pds.addBlob('other'), size: 4 }
    await write(1, { root: rootOf({ 'a.html': { ...fileOf('x'), blob: other } }) })
    await refuses(1, 'is not what the record names')
    await write(2, { root: rootOf({ 'a.html': fileOf('x'.repeat(20)) }) })
    await refuses(2, 'larger than 10 bytes', { siteBytesMax: 10 })
  })

  test('a manifest with other files is not the version’s', async () => {
    const manifest = await place.write('blog', { 'index.html': 'something else' })
    await ingestSite(blog, place.context)
    await write(1, { manifest })
    expect(await ingest(1)).toBe('kept')
    const live = await place.context.db.selectFrom('versions').selectAll().executeTakeFirstOrThrow()
    expect((await found(1))?.filesDigest).not.toBe(live.filesDigest)
  })

  test.each([
    ['a date before all time', { createdAt: '0001-01-01T00:00:00Z' }, 'expired'],
    ['a date in the far future', { createdAt: '9999-12-31T00:00:00Z' }, 'kept for a while'],
    ['an end before all time', { expiresAt: '0001-01-01T00:00:00Z' }, 'expired'],
    ['30 February', { expiresAt: '2026-02-30T00:00:00Z' }, 'kept for a while'],
  ])('a preview with %s', async (_, facts, state) => {
    await write(1, { manifest: undefined, createdAt: '2026-01-31T00:00:00Z', ...facts })
    expect(await ingest(1)).toBe('kept')
    const version = await found(1)
    const expiresAt = version?.expiresAt ?? Number.POSITIVE_INFINITY
    expect(expiresAt).toBeLessThanOrEqual(place.now + previewMs + 28 * 86_400_000)
    expect(version?.hasContent).toBe(state !== 'expired')
    expect(version?.label).not.toBeNull()
    expect(fetched()).toBe(state === 'expired' ? 0 : 1)
  })

  test('more versions of a site than are kept: the older ones are not fetched', async () => {
    for (let n = 2; n <= versionRecordsMax + 1; n++) {
      await write(n, { root: rootOf({ 'index.html': fileOf('same') }) })
      await ingest(n)
    }
    await write(1)
    expect(await ingest(1)).toBe('ignored')
    expect((await found(1))?.problems).toEqual([tooManyVersions])
    expect(fetched()).toBe(1)
  })
})

test('all versions together stay within a quota, in which shared files count once', async () => {
  const limits = { accountBytesMax: 100 }
  const shared = { 'shared.html': fileOf('s'.repeat(90)) }
  await write(1, { root: rootOf({ ...shared, 'a.html': fileOf('a'.repeat(60)) }) })
  expect(await ingest(1, limits)).toBe('kept')
  await write(2, { root: rootOf({ ...shared, 'b.html': fileOf('b'.repeat(50)) }) })
  expect(await ingest(2, limits)).toBe('kept')
  const before = fetched()
  await write(3, { root: rootOf({ ...shared, 'c.html': fileOf('c') }) })
  await refuses(3, overAccountVersions(200), limits)
  expect(fetched()).toBe(before)
  place.pds.deleteRecord(pathOf(1))
  await ingest(1, limits)
  expect(await ingest(3, limits)).toBe('kept')
  expect(await ingest(2, limits)).toBe('unchanged')
})

test('nothing is fetched of unknown accounts, of those only visited, and of what is offline here', async () => {
  await write(1)
  expect(await ingestVersion({ ...keyOf(1), did: bob }, place.context)).toBe('not-known')
  const { db } = place.context
  await putTakedown(db, {
    did: alice,
    site: blog.name,
    status: 451,
    at: 1,
    reason: 'x',
    actor: 'a',
  })
  expect(await ingest(1)).toBe('taken-down')
  await db.deleteFrom('takedowns').execute()
  await db.deleteFrom('accounts').execute()
  await rememberVisited(db, alice, 1)
  await upsertAccount(db, { did: alice }, 1)
  expect(await ingest(1)).toBe('visited-only')
  expect(fetched()).toBe(0)
})
