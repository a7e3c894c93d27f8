import { beforeEach, expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import { splitTree } from '#site/record/split.ts'
import { buildTree } from '#site/record/tree.ts'
import { alice, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, noPause } from '#tests/support/servers/fake-repo.ts'
import { forgetVersion } from './forget-version.ts'

const blog = siteOf('blog')
const fs = 'place.sitehost.fs'
const subfs = 'place.sitehost.subfs'
const versions = 'place.sitehost.version'
const createdAt = '2030-01-01T00:00:00.000Z'
const [older, newer] = [versionKeyOf(1), versionKeyOf(2)]

let repo: FakeRepo
/** The older version is replaced, the newer one is live; they share all parts but one of each. */
beforeEach(() => {
  repo = new FakeRepo()
  keep(older, 1, 'bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku')
  const root = keep(newer, 2, liveCid)
  repo.put(fs, 'blog', { $type: fs, site: 'blog', root, createdAt })
  // Records name their manifest by a CID, which those of this repository are not.
  Object.assign(repo.find(fs, 'blog') ?? {}, { cid: liveCid })
})

const liveCid = 'bafyreib2rxk3rybk3aobmv5cjuql3bm2twh4jo5uxgf5kpqcsgz7soitae'

/** Puts a version of 600 files there. */
function keep(key: string, first: number, manifest: string) {
  const files = Array.from(
    { length: 600 },
    (_, i) => [`${i}.html` as SitePath, fileOf(i === 0 ? first : 1)] as const,
  )
  const { root, parts } = splitTree(buildTree(new Map(files)), blog)
  for (const [key, part] of parts) repo.put(subfs, key, { $type: subfs, ...part, createdAt })
  repo.put(versions, key, { $type: versions, site: 'blog', root, createdAt, manifest })
  return root
}

const fileOf = (size: number) =>
  ({
    $type: 'place.sitehost.fs#file',
    type: 'file',
    blob: {
      $type: 'blob',
      ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
      mimeType: 'text/html',
      size,
    },
  }) as const

const forget = (key = older) =>
  forgetVersion(blog, key, {
    repo: repo.asRepo,
    now: () => 0,
    pause: noPause,
    signal: new AbortController().signal,
  })
const callsOf = (method: string) => repo.calls.filter((call) => call === method).length

test('a version goes with the parts that only it reaches, in one commit', async () => {
  const before = repo.keys(subfs)
  const outcome = await forget()
  const gone = before.filter((key) => !repo.keys(subfs).includes(key))
  expect(gone.length).toBeWithin(1, before.length)
  expect(outcome).toEqual({
    kind: 'forgotten',
    records: [
      ...gone.map((key) => `at://${alice}/${subfs}/${key}`),
      `at://${alice}/${versions}/${older}`,
    ],
    rev: repo.rev,
  })
  expect(repo.keys(versions)).toEqual([newer])
  expect(callsOf('applyWrites')).toBe(1)
})

test('the live version stays', async () => {
  expect(await forget(newer)).toEqual({ kind: 'live' })
  expect(repo.keys(versions)).toEqual([older, newer])
})

test('of two versions of the live record the older one goes', async () => {
  const { value } = repo.find(versions, newer) ?? {}
  repo.put(versions, versionKeyOf(3), value)
  expect(await forget(versionKeyOf(3))).toEqual({ kind: 'live' })
  expect(await forget(newer)).toMatchObject({ kind: 'forgotten' })
  expect(repo.keys(versions)).toEqual([older, versionKeyOf(3)])
})

test('a version that is gone already counts as forgotten', async () => {
  const outcome = { kind: 'forgotten', records: [], rev: repo.rev } as const
  expect(await forget(versionKeyOf(9))).toEqual(outcome)
})

test('another program’s commit in between is no conflict', async () => {
  repo.before.set('applyWrites', () => repo.put(fs, 'shop', {}))
  expect(await forget()).toMatchObject({ kind: 'forgotten' })
  expect(repo.keys(versions)).toEqual([newer])
})
