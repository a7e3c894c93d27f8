import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SitePath } from '#site/path.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { versionKeyAt } from '#site/version-key.ts'
import type { Directory, FileNode } from './manifest.ts'
import { partUri } from './part.ts'
import { isWithinVersionQuota, planVersions } from './plan-versions.ts'
import { type AccountRecords, planWrites, type StoredVersion } from './plan-writes.ts'
import { type SplitTree, splitTree, splitVersion } from './split.ts'
import { buildTree } from './tree.ts'
import type { VersionRecord } from './version-record.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const address = (name: string): SiteAddress => ({ did, name: parseSiteName(name) as SiteName })
const blog = address('blog')
const now = Date.parse('2026-06-01T00:00:00Z')
const later = '2026-06-02T00:00:00.000Z'
const before = '2026-05-02T00:00:00.000Z'

const empty: Directory = { $type: 'place.sitehost.fs#directory', type: 'directory', entries: [] }

type Facts = Partial<Record<keyof VersionRecord, unknown>>
const key = (n: number): string => versionKeyAt(n * 1000, 0)

/** The version records of a site, the first the oldest; the manifest of each has its number. */
function versionsOf(...all: Facts[]): Map<string, StoredVersion> {
  const record = { $type: 'place.sitehost.version', site: 'blog', root: empty, createdAt: before }
  return new Map(
    all.map((facts, n) => {
      const value = { ...record, manifest: `cid-${n}`, ...facts }
      return [key(n), { cid: `version-${n}`, value, version: value as unknown as VersionRecord }]
    }),
  )
}

const live = (n: number) =>
  new Map([['blog', { cid: `cid-${n}`, value: {}, root: empty }]]) as AccountRecords['sites']

const preview = (expiresAt: string) => ({ manifest: undefined, expiresAt })

/** Numbers of the versions that go. */
const gone = (keep: number, ...all: Facts[]): number[] => {
  const versions = versionsOf(...all)
  const keys = [...versions.keys()]
  const sites = live(all.length - 1)
  return planVersions(blog, { sites, versions }, { keep, now }).map((each) => keys.indexOf(each))
}

describe('what is deleted', () => {
  test.each<[string, number, Facts[], number[]]>([
    ['nothing of as many as are kept', 3, [{}, {}, {}], []],
    ['the oldest beyond', 2, [{}, {}, {}], [0]],
    ['the two oldest, however many are beyond', 1, [{}, {}, {}, {}], [0, 1]],
    ['no pinned one', 1, [{ pinned: true }, {}, {}], [1]],
    ['not the live one, even if none is kept', 0, [{}, {}], [0]],
    ['of several of the live manifest not the newest', 1, [{ manifest: 'cid-2' }, {}, {}], [0, 1]],
    ['previews that have ended, first', 1, [{}, preview(before), {}], [1, 0]],
    ['no preview before its end', 0, [preview(later), {}], []],
    ['no preview without an end', 0, [{ manifest: undefined }, {}], []],
    ['no pinned preview', 5, [{ ...preview(before), pinned: true }, {}], []],
    ['none of another site', 0, [{ site: 'shop' }, {}], []],
    ['one that was a preview and live, by its age only', 2, [{ expiresAt: before }, {}], []],
  ])('%s', (_, keep, all, expected) => expect(gone(keep, ...all)).toEqual(expected))

  test('not the base of the one that is written', () => {
    const versions = versionsOf({}, {}, {})
    const kept = { keep: 1, now, base: key(0) }
    expect(planVersions(blog, { sites: live(2), versions }, kept)).toEqual([key(1)])
  })

  test('none that cannot be parsed', () => {
    const unreadable = { cid: 'x', value: { site: 'blog' }, version: null }
    const versions = new Map([[key(0), unreadable]])
    expect(planVersions(blog, { sites: live(1), versions }, { keep: 0, now })).toEqual([])
  })
})

test('a site has room for 50 records', () => {
  const all = (count: number) => versionsOf(...Array.from({ length: count }, () => ({})))
  expect(isWithinVersionQuota(blog, { versions: all(49) }, [])).toBe(true)
  expect(isWithinVersionQuota(blog, { versions: all(50) }, [])).toBe(false)
  expect(isWithinVersionQuota(blog, { versions: all(50) }, [key(0)])).toBe(true)
})

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

/** So many files, one of them of this size. */
const treeOf = (count: number, at: number, size: number): Directory =>
  buildTree(
    new Map(
      Array.from({ length: count }, (_, i) => [
        `${String(i).padStart(4, '0')}.html` as SitePath,
        file(i === at % count ? size : i),
      ]),
    ),
  )

function reached(root: Directory, parts: AccountRecords['parts']): Set<string> {
  const keys = new Set<string>()
  const waiting = [root]
  // the list grows while it is walked
  for (const { entries } of waiting) {
    for (const { node } of entries) {
      if (node.type === 'directory') waiting.push(node)
      if (node.type !== 'subfs') continue
      const key = node.subject.slice(partUri(did, '').length)
      if (keys.has(key)) continue
      keys.add(key)
      waiting.push(parts.get(key)?.root ?? empty)
    }
  }
  return keys
}

const content = fc.record({
  count: fc.constantFrom(3, 40, 90, 300),
  at: fc.nat(299),
  size: fc.integer({ min: 1000, max: 1005 }),
  isPinned: fc.boolean(),
  site: fc.constantFrom('blog', 'shop'),
})

test('whatever was published and pruned, no part goes that a record reaches, and none stays that nothing reaches', () => {
  fc.assert(
    fc.property(fc.array(content, { maxLength: 12 }), fc.nat(3), (contents, keep) => {
      const sites = new Map<string, { cid: string; value: unknown; root: Directory }>()
      const parts = new Map<string, { cid: string; value: unknown; root: Directory }>()
      const versions = new Map<string, StoredVersion>()
      const add = (split: SplitTree) => {
        for (const [key, { root }] of split.parts) {
          parts.set(key, { cid: key, value: { root }, root })
        }
      }
      for (const [n, { count, at, size, isPinned, site }] of contents.entries()) {
        const tree = treeOf(count, at, size)
        const next = {
          manifest: splitTree(tree, address(site)),
          version: splitVersion(tree, address(site)),
        }
        const records: AccountRecords = { sites, parts, versions, isComplete: true }
        const pruned = planVersions(address(site), records, { keep, now })
        const { deleteParts, createParts } = planWrites(address(site), { ...next, pruned }, records)
        const added = new Set([...next.manifest.parts.keys(), ...next.version.parts.keys()])
        expect(createParts.every((key) => added.has(key) && !parts.has(key))).toBe(true)
        add(next.manifest)
        add(next.version)
        const { root } = next.manifest
        sites.set(site, { cid: `cid-${n}`, value: { root }, root })
        const record = { site, root: next.version.root, manifest: `cid-${n}`, pinned: isPinned }
        const version = record as unknown as VersionRecord
        versions.set(key(n), { cid: key(n), value: record, version })
        for (const each of pruned) versions.delete(each)
        for (const each of deleteParts) parts.delete(each)
        const roots = [
          ...Array.from(sites.values(), ({ root }) => root),
          ...Array.from(versions.values(), ({ version }) => version?.root ?? empty),
        ]
        const named = new Set(roots.flatMap((root) => [...reached(root, parts)]))
        expect([...parts.keys()].sort()).toEqual([...named].sort())
      }
    }),
    { numRuns: 20 },
  )
}, 30_000)
