import { beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { forgetVersion } from '#publish/history/forget-version.ts'
import { restoreVersion } from '#publish/history/restore-version.ts'
import { writeSite } from '#publish/write-site.ts'
import type { SitePath } from '#site/path.ts'
import type { FileNode } from '#site/record/manifest.ts'
import { partUri } from '#site/record/part.ts'
import type { SiteSettings } from '#site/record/settings.ts'
import { siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo, refusal } from '#tests/support/servers/fake-repo.ts'

// An account's server refuses a call in the middle of a change of a site with versions, or every call from there on.
// Whatever it has accepted, the site and each version are whole, and the next attempt makes the rest.

const blog = siteOf('blog')
const [fs, subfs] = ['place.sitehost.fs', 'place.sitehost.subfs']
const versions = 'place.sitehost.version'
const settings = 'place.sitehost.settings'
const [first, second, third] = [versionKeyOf(1), versionKeyOf(2), versionKeyOf(3)]

const file = (size: number): FileNode => ({
  $type: 'place.sitehost.fs#file',
  type: 'file',
  blob: {
    $type: 'blob',
    ref: { $link: 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku' },
    mimeType: 'text/html',
    size,
  },
})

/** So many files, of which a fifth are this version's own. */
const filesOf = (count: number, version: number) =>
  new Map(
    Array.from({ length: count }, (_, n) => {
      const size = n < count / 5 ? version * 100_000 + n : n
      return [`${String(n).padStart(5, '0')}.html` as SitePath, file(size)] as const
    }),
  )

let repo: FakeRepo
let expectedCid: string | null | undefined
beforeEach(() => {
  repo = new FakeRepo()
  expectedCid = undefined
})

const now = () => Date.UTC(2030, 0, 1)
const context = () => {
  const { signal } = new AbortController()
  return { repo: repo.asRepo, at: () => undefined, now, signal }
}

/** An attempt at a job, which expects the site that it has read first. */
async function publish(count: number, version: number, fields: SiteSettings): Promise<void> {
  expectedCid ??= repo.find(fs, 'blog')?.cid ?? null
  const key = versionKeyOf(version)
  const change = { kind: 'fields', settings: fields } as const
  const onto = { expectedCid, start: null }
  await writeSite(blog, filesOf(count, version), onto, context(), { key, bytes: 1 }, change)
}

async function publishVersions(count: number): Promise<void> {
  for (const version of [1, 2]) {
    expectedCid = undefined
    await publish(count, version, { $type: settings, cleanUrls: version === 1 })
  }
  expectedCid = undefined
}

const attempts: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
  publish: (count) => publish(count, 3, { $type: settings, history: { keep: 2 } }),
  restore: () =>
    restoreVersion(
      blog,
      { key: first, settings: true },
      {
        mayKeep: true,
        beginWriting: async () => true,
        rememberExpectedCid: async (current) => (expectedCid ??= current),
        report: () => undefined,
      },
      context(),
    ),
  forget: () => forgetVersion(blog, first, context()),
}

/** Of these records, the parts that they name, directly or through others. */
function partsOf(records: readonly string[][]): Set<string> {
  const named = new Set<string>()
  const waiting = records.map(([collection = '', key = '']) => repo.find(collection, key)?.value)
  // The list grows during iteration.
  for (const value of waiting) {
    for (const piece of JSON.stringify(value)
      .split(`"${partUri(blog.did, '')}`)
      .slice(1)) {
      const key = piece.slice(0, piece.indexOf('"'))
      if (named.has(key)) continue
      named.add(key)
      waiting.push(repo.find(subfs, key)?.value ?? null)
    }
  }
  return named
}

const recordsBut = (without?: string): string[][] => [
  [fs, 'blog'],
  ...repo.keys(versions).flatMap((key) => (key === without ? [] : [[versions, key]])),
]

const expectWhole = (without?: string): void => {
  const present = new Set(repo.keys(subfs))
  const missing = [...partsOf(recordsBut(without))].filter((key) => !present.has(key))
  expect(missing).toEqual([])
}

/** The next calls that write: `refuses` says whether the n-th is refused. */
function refuseCalls(refuses: (n: number) => boolean): { calls: number; stop: () => void } {
  const counted = { calls: 0, stop: () => Object.assign(repo, originals) }
  const { applyWrites, deleteRecord, putRecord } = FakeRepo.prototype
  const originals = { applyWrites, deleteRecord, putRecord }
  const checked =
    <Arguments extends unknown[], Result>(call: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      if (refuses(counted.calls++)) throw refusal(400, 'InvalidRequest')
      return await call.apply(repo, args)
    }
  Object.assign(repo, {
    applyWrites: checked(applyWrites),
    deleteRecord: checked(deleteRecord),
    putRecord: checked(putRecord),
  })
  return counted
}

/** The most writes of a commit, and how many files the site has. */
const servers = (name: string): [string, number, number][] => [
  // A restore and forgetting write few records.
  name === 'publish' ? ['in two commits', 200, 3_650] : ['in one commit', 200, 500],
  ['each record alone', 0, 500],
]

for (const [name, attempt] of Object.entries(attempts)) {
  describe.each(servers(name))(`${name}, %s`, (_, writesMax, count) => {
    const kinds: [string, (at: number) => (n: number) => boolean][] = [
      ['one call', (at) => (n) => n === at],
      ['all from one call on', (at) => (n) => n >= at],
    ]
    let published: FakeRepo
    beforeAll(async () => {
      repo = new FakeRepo()
      await publishVersions(count)
      published = repo
    })
    /** An attempt on a repository with two versions; how many calls it made. */
    const refused = async (refuses: (n: number) => boolean): Promise<number> => {
      repo = Object.assign(published.copy(), { writesMax })
      expectedCid = undefined
      const counted = refuseCalls(refuses)
      await attempt(count).catch(() => undefined)
      counted.stop()
      return counted.calls
    }
    test.each(kinds)(
      'refused at %s',
      async (_, refusing) => {
        const calls = await refused(() => false)
        for (let at = 0; at < calls; at++) {
          await refused(refusing(at))
          expectWhole(name === 'forget' ? first : undefined)
          await attempt(count)
          expectWhole()
          expect(repo.keys(subfs)).toEqual([...partsOf(recordsBut())].sort())
          expectDone(name)
        }
      },
      60_000,
    )
  })
}

function expectDone(name: string): void {
  const [gone, ...kept] = { restore: ['', first, second], forget: [first, second] }[name] ?? [
    // The oldest goes in the commit, or with the next publish.
    ...['', second, third],
  ]
  expect(repo.keys(versions)).toEqual(expect.arrayContaining(kept))
  expect(repo.keys(versions)).not.toContain(gone)
  expect(repo.find(settings, 'blog')?.value).toMatchObject({ cleanUrls: name === 'restore' })
}
