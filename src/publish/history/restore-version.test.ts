import { beforeEach, expect, test } from 'bun:test'
import { recordCid } from '#atproto/repo/record-cid.ts'
import { SiteConflictError } from '#publish/commit-on-head.ts'
import { refusedVersionSentence } from '#publish/new-version.ts'
import { NotPublishableError } from '#publish/not-publishable.ts'
import { SiteRecords } from '#publish/site-records.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, noPause, refusal } from '#tests/support/servers/fake-repo.ts'
import { restoreVersion } from './restore-version.ts'

const blog = siteOf('blog')
const [fs, subfs] = ['place.sitehost.fs', 'place.sitehost.subfs']
const [versions, settings] = ['place.sitehost.version', 'place.sitehost.settings']
const key = versionKeyOf(1)
const then = Date.UTC(2030, 0, 1)

let repo: FakeRepo
let expectedCid: string | null
beforeEach(() => {
  repo = new FakeRepo()
  expectedCid = null
})

const fileOf = (size: number): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'text/html',
    size,
  },
})

const recordsOf = (count: number, at = then): SiteRecords =>
  new SiteRecords(
    blog,
    new Map(Array.from({ length: count }, (_, n) => [`${n}.html` as SitePath, fileOf(n)])),
    at,
  )

/** Puts the version there, with the parts that it names; returns its manifest's CID. */
function keep(records: SiteRecords, facts: object = {}): string {
  for (const part of records.trees.version.parts.keys()) {
    repo.put(subfs, part, { ...records.part(part) })
  }
  const preview = { alias: 'pr-12', expiresAt: '2031-01-01T00:00:00.000Z' }
  const value = records.version({ key, bytes: null, preview }, null, null)
  repo.put(versions, key, { ...value, ...facts })
  return recordCid(records.manifest)
}

/** Another state of the site is live. */
const putLive = (count = 3): void =>
  repo.put(fs, 'blog', { ...recordsOf(count, then + 1000).manifest })

interface Options {
  readonly settings?: boolean
  readonly mayKeep?: boolean
  readonly isCancelled?: boolean
}

const restore = ({ settings = false, mayKeep = true, isCancelled = false }: Options = {}) =>
  restoreVersion(
    blog,
    { key, settings },
    {
      mayKeep,
      beginWriting: async () => !isCancelled,
      rememberExpectedCid: async (current) => (expectedCid ??= current),
      report: () => undefined,
    },
    {
      repo: repo.asRepo,
      at: () => undefined,
      now: () => then,
      pause: noPause,
      signal: new AbortController().signal,
    },
  )
const callsOf = (method: string) => repo.calls.filter((call) => call === method).length
const storedAt = (collection: string, rkey: string) => repo.find(collection, rkey)?.value

for (const count of [0, 2, 600]) {
  test(`${count} files: one commit makes the record of then the site’s`, async () => {
    putLive()
    const records = recordsOf(count)
    const cid = keep(records)
    const outcome = await restore()
    expect(outcome).toMatchObject({ kind: 'published', cid, fileCount: count, version: { key } })
    expect<unknown>(storedAt(fs, 'blog')).toEqual(records.manifest)
    expect([callsOf('applyWrites'), callsOf('putRecord')]).toEqual([1, 0])
  })
}

test('parts that the account has too many of to list are read by their keys', async () => {
  putLive()
  const cid = keep(recordsOf(600))
  repo.leftOut.add(subfs)
  expect(await restore()).toMatchObject({ kind: 'published', cid, fileCount: 600 })
  expect(callsOf('applyWrites')).toBe(1)
})

test('a version record beyond the limits of a listing keeps its fields, too', async () => {
  const manifest = keep(recordsOf(600), { theirs: 1 })
  for (const collection of [fs, subfs, versions]) repo.leftOut.add(collection)
  expect(await restore()).toMatchObject({ kind: 'published', fileCount: 600 })
  expect(storedAt(versions, key)).toMatchObject({ manifest, theirs: 1, root: {} })
})

test('such a part that another program changed meanwhile is a conflict', async () => {
  const records = recordsOf(600)
  keep(records)
  repo.leftOut.add(subfs)
  const [part = ''] = records.trees.version.parts.keys()
  repo.before.set('findRecord', () =>
    repo.before.set('findRecord', () => repo.put(subfs, part, {})),
  )
  await expect(restore()).rejects.toThrow(SiteConflictError)
})

test('a site that was never live goes live', async () => {
  keep(recordsOf(2))
  expect(await restore()).toMatchObject({ kind: 'published' })
  expect(repo.keys(fs)).toEqual(['blog'])
})

test('a preview is none any more, and keeps what others wrote into its record', async () => {
  const manifest = keep(recordsOf(2), { theirs: 1, message: 'Launch' })
  await restore()
  const value = storedAt(versions, key) as Record<string, unknown>
  expect(value).toMatchObject({ manifest, theirs: 1, message: 'Launch' })
  expect([value['alias'], value['expiresAt']]).toEqual([undefined, undefined])
})

test('a session that may not write version records leaves them as they are', async () => {
  keep(recordsOf(2))
  const before = storedAt(versions, key)
  expect(await restore({ mayKeep: false })).toMatchObject({ kind: 'published' })
  expect(storedAt(versions, key)).toBe(before)
})

test('parts of what is replaced go, unless a version needs them', async () => {
  const old = recordsOf(700, then + 1000)
  for (const part of old.trees.version.parts.keys()) repo.put(subfs, part, { ...old.part(part) })
  repo.put(fs, 'blog', { ...old.manifest })
  const records = recordsOf(600)
  keep(records)
  await restore()
  expect(repo.keys(subfs)).toEqual([...records.trees.version.parts.keys()].sort())
})

test('the settings of then go live in the same commit, when asked', async () => {
  putLive()
  keep(recordsOf(2), { settings: { $type: settings, cleanUrls: true } })
  repo.put(settings, 'blog', { $type: settings, spaMode: 'index.html' })
  await restore()
  expect<unknown>(storedAt(settings, 'blog')).toMatchObject({ spaMode: 'index.html' })
  expectedCid = null
  await restore({ settings: true })
  expect<unknown>(storedAt(settings, 'blog')).toEqual({ $type: settings, cleanUrls: true })
  expect(callsOf('applyWrites')).toBe(2)
})

test('without settings of then, those of now go', async () => {
  keep(recordsOf(2))
  repo.put(settings, 'blog', { $type: settings, cleanUrls: true })
  await restore({ settings: true })
  expect(repo.keys(settings)).toEqual([])
})

test('a version that is gone, or another site’s, or whose parts are gone', async () => {
  await expect(restore()).rejects.toThrow(NotPublishableError)
  keep(recordsOf(2), { site: 'shop' })
  await expect(restore()).rejects.toThrow('not in your repository any more')
  const records = recordsOf(600)
  keep(records)
  for (const part of records.trees.version.parts.keys()) repo.remove(subfs, part)
  await expect(restore()).rejects.toThrow('Records with files of this version')
  expect(callsOf('applyWrites')).toBe(0)
})

test('another program’s change of the site meanwhile is a conflict', async () => {
  putLive()
  keep(recordsOf(2))
  repo.before.set('applyWrites', () => putLive(4))
  await expect(restore()).rejects.toThrow(SiteConflictError)
  expect<unknown>(storedAt(fs, 'blog')).toEqual(recordsOf(4, then + 1000).manifest)
})

test('an attempt after a commit whose answer was lost finds it done', async () => {
  putLive()
  const cid = keep(recordsOf(2))
  await restore()
  // The fake repository's CIDs are none.
  Object.assign(repo.find(fs, 'blog') ?? {}, { cid })
  expect(await restore()).toMatchObject({ kind: 'published', cid })
  expect(callsOf('applyWrites')).toBe(1)
})

test('a server that does not accept the version’s record has the site as it was then', async () => {
  putLive()
  const cid = keep(recordsOf(2))
  const original = repo.applyWrites.bind(repo)
  repo.applyWrites = async (writes, head) => {
    if (writes.some(({ collection }) => collection === versions))
      throw refusal(400, 'RecordTooLarge')
    return await original(writes, head)
  }
  const outcome = await restore()
  expect(outcome).toMatchObject({ kind: 'published', cid, version: { key } })
  expect(outcome).toHaveProperty('versionProblem', refusedVersionSentence)
  expect<unknown>(storedAt(fs, 'blog')).toEqual(recordsOf(2).manifest)
})

test('a cancelled job writes nothing', async () => {
  keep(recordsOf(2))
  expect(await restore({ isCancelled: true })).toEqual({ kind: 'cancelled' })
  expect(repo.keys(fs)).toEqual([])
})
