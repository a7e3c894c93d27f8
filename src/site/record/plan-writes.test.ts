import { describe, expect, test } from 'bun:test'
import type { SitePath } from '#site/path.ts'
import type { SiteAddress } from '#site/site-address.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import type { Directory, FileNode } from './manifest.ts'
import { partUri } from './part.ts'
import {
  type AccountRecords,
  partsToDelete,
  planWrites,
  type StoredRecord,
  type WritePlan,
} from './plan-writes.ts'
import { type SplitTree, splitTree } from './split.ts'
import { buildTree } from './tree.ts'

const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
const address = (name: string): SiteAddress => ({ did, name: parseSiteName(name) as SiteName })
const blog = address('blog')

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

/** `count` files, the first of them of another size: small ones are one record, large ones several. */
const versionOf = (site: SiteAddress, count: number, first = 1): SplitTree =>
  splitTree(
    buildTree(
      new Map(
        Array.from({ length: count }, (_, i) => [
          `${String(i).padStart(4, '0')}.html` as SitePath,
          file(i === 0 ? first : i),
        ]),
      ),
    ),
    site,
  )

const stored = (root: Directory): StoredRecord => ({ cid: 'cid', value: { root }, root })

/** The repository after these versions were written, each for itself. */
function repository(...versions: [SiteAddress, SplitTree][]): AccountRecords {
  return {
    isComplete: true,
    versions: new Map(),
    sites: new Map(versions.map(([{ name }, { root }]) => [name, stored(root)])),
    parts: new Map(
      versions.flatMap(([, { parts }]) =>
        [...parts].map(([key, part]) => [key, stored(part.root)]),
      ),
    ),
  }
}

/** Of a publish without a version record. */
const plan = (site: SiteAddress, manifest: SplitTree, records: AccountRecords): WritePlan =>
  planWrites(site, { manifest, version: null, pruned: [] }, records)

const empty = repository()
const keysOf = ({ parts }: SplitTree) => [...parts.keys()]

describe('what has to be written', () => {
  test('of a new site: everything', () => {
    const version = versionOf(blog, 600)
    expect(plan(blog, version, empty)).toEqual({
      createParts: keysOf(version),
      putMain: true,
      deleteParts: [],
    })
  })

  test('of an unchanged site: nothing', () => {
    for (const count of [0, 3, 600]) {
      const version = versionOf(blog, count)
      expect(plan(blog, version, repository([blog, version]))).toEqual({
        createParts: [],
        putMain: false,
        deleteParts: [],
      })
    }
  })

  test('of a site with one changed file: its part, and what names it', () => {
    const [before, after] = [versionOf(blog, 600, 1), versionOf(blog, 600, 2)]
    const planned = plan(blog, after, repository([blog, before]))
    expect(planned.createParts).toHaveLength(1)
    expect(planned.deleteParts).toHaveLength(1)
    expect(planned.putMain).toBe(true)
  })

  test('of a site that became small: the parts go', () => {
    const [before, after] = [versionOf(blog, 600), versionOf(blog, 3)]
    expect(plan(blog, after, repository([blog, before]))).toEqual({
      createParts: [],
      putMain: true,
      deleteParts: keysOf(before),
    })
  })
})

describe('which parts stay', () => {
  const before = versionOf(blog, 600)
  const after = versionOf(blog, 3)
  const [shared = ''] = keysOf(before)
  const naming = (key: string): Directory => ({
    $type: 'place.sitehost.fs#directory',
    type: 'directory',
    entries: [
      {
        name: 'borrowed',
        node: {
          $type: 'place.sitehost.fs#subfs',
          type: 'subfs',
          subject: partUri(did, key),
          flat: false,
        },
      },
    ],
  })

  const withSite = (name: string, record: StoredRecord): AccountRecords => {
    const { sites, parts } = repository([blog, before])
    return {
      sites: new Map([...sites, [name, record]]),
      parts,
      versions: new Map(),
      isComplete: true,
    }
  }

  test('all of them, when there are records that we do not know', () => {
    const unsure = { ...repository([blog, before]), isComplete: false }
    expect(plan(blog, after, unsure).deleteParts).toEqual([])
  })

  test('one that another site names too', () => {
    const planned = plan(blog, after, withSite('other', stored(naming(shared))))
    expect(planned.deleteParts).toEqual(keysOf(before).filter((key) => key !== shared))
  })

  test('one that another site names in a record that we cannot read', () => {
    const unreadable = {
      cid: 'cid',
      value: { odd: [{ subject: partUri(did, shared) }] },
      root: null,
    }
    expect(plan(blog, after, withSite('other', unreadable)).deleteParts).not.toContain(shared)
  })

  test('one that another site reaches through a part', () => {
    const records = withSite('other', stored(naming('middle')))
    const parts = new Map([...records.parts, ['middle', stored(naming(shared))]])
    expect(plan(blog, after, { ...records, parts }).deleteParts).not.toContain(shared)
  })

  test('an unreferenced part of another program', () => {
    const records = repository([blog, after])
    const parts = new Map([['theirs', stored(naming('x'))]])
    expect(plan(blog, after, { ...records, parts }).deleteParts).toEqual([])
  })

  test('but not one that an interrupted publish of this site left behind', () => {
    const records = repository([blog, after])
    const parts = repository([blog, before]).parts
    expect(plan(blog, after, { ...records, parts }).deleteParts).toEqual(keysOf(before))
    const other = address('other')
    expect(plan(other, versionOf(other, 1), { ...records, parts }).deleteParts).toEqual([])
  })
})

test('a deleted site takes its parts along, and no others', () => {
  const other = address('other')
  const [mine, theirs] = [versionOf(blog, 600), versionOf(other, 600)]
  const records = repository([blog, mine], [other, theirs])
  expect(partsToDelete(blog, records)).toEqual(keysOf(mine))
  expect(partsToDelete(address('unknown'), records)).toEqual([])
})
