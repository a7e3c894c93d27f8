import { beforeEach, expect, test } from 'bun:test'
import { SiteConflictError } from '#publish/commit-on-head.ts'
import { siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, noPause } from '#tests/support/servers/fake-repo.ts'
import { changeVersion, type VersionChange } from './change-version.ts'

const collection = 'place.sitehost.version'
const key = versionKeyOf(1)
const record = {
  $type: collection,
  site: 'blog',
  root: { $type: 'place.sitehost.fs#directory', type: 'directory', entries: [] },
  createdAt: '2030-01-01T00:00:00.000Z',
  alias: 'pr-12',
  theirs: ['unknown'],
}

let repo: FakeRepo
beforeEach(() => {
  repo = new FakeRepo()
  repo.put(collection, key, record)
})

const change = (change: VersionChange, site = siteOf('blog')) =>
  changeVersion(site, key, change, {
    repo: repo.asRepo,
    now: () => 0,
    pause: noPause,
    signal: new AbortController().signal,
  })
const stored = () => repo.find(collection, key)?.value

test('fields are set, and all others stay', async () => {
  const news = { message: 'Launch', pinned: true, expiresAt: '2030-02-01T00:00:00.000Z' }
  expect(await change(news)).toMatchObject({
    kind: 'changed',
    version: { ...news, alias: 'pr-12' },
  })
  expect<unknown>(stored()).toEqual({ ...record, ...news })
})

test('null removes a field', async () => {
  const { alias: _, ...rest } = record
  await change({ alias: null, message: null })
  expect<unknown>(stored()).toEqual(rest)
})

test('a field that does not fit is named, and nothing is written', async () => {
  const refused: VersionChange[] = [
    { alias: 'a' },
    { alias: 'A--b' },
    { message: 'é'.repeat(301) },
    { expiresAt: 'soon' },
  ]
  for (const bad of refused) {
    const [field] = Object.keys(bad)
    expect<unknown>(await change({ pinned: true, ...bad })).toEqual({ kind: 'refused', field })
  }
  expect<unknown>(stored()).toEqual(record)
  expect((await change({ message: 'é'.repeat(300) })).kind).toBe('changed')
})

test('only a preview has an alias and expires', async () => {
  const manifest = 'bafyreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae'
  repo.put(collection, key, { ...record, manifest })
  for (const news of [{ alias: 'staging' }, { expiresAt: '2030-02-01T00:00:00.000Z' }]) {
    expect(await change(news)).toEqual({ kind: 'not-a-preview' })
  }
  expect((await change({ alias: null, pinned: true })).kind).toBe('changed')
})

test('a record that is gone, cannot be read, or is another site’s', async () => {
  expect(await change({ pinned: true }, siteOf('shop'))).toEqual({ kind: 'not-found' })
  repo.put(collection, key, { site: 'blog' })
  expect(await change({ pinned: true })).toEqual({ kind: 'not-found' })
  repo.remove(collection, key)
  expect(await change({ pinned: true })).toEqual({ kind: 'not-found' })
})

test('an equal record is not written again', async () => {
  expect((await change({ alias: 'pr-12' })).kind).toBe('changed')
  expect(repo.calls).not.toContain('putRecord')
})

test('what another program changes at that moment stays', async () => {
  const theirs = { ...record, message: 'theirs' }
  repo.before.set('putRecord', () => repo.put(collection, key, theirs))
  await expect(change({ message: 'ours' })).rejects.toThrow(SiteConflictError)
  expect<unknown>(stored()).toEqual(theirs)
})
