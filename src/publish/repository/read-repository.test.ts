import { beforeEach, describe, expect, test } from 'bun:test'
import type { AccountRepo, ListedRecord } from '#atproto/repo/account-repo.ts'
import { partsToDelete } from '#site/record/plan-writes.ts'
import { parseSiteName, type SiteName } from '#site/site-name.ts'
import { alice, siteOf, versionKeyOf } from '#tests/support/database/sample-rows.ts'
import { FakeRepo } from '#tests/support/servers/fake-repo.ts'
import { readRepository } from './read-repository.ts'
import { RecentRepositories } from './recent-repositories.ts'

const manifest = {
  $type: 'place.sitehost.fs',
  site: 'blog',
  root: { type: 'directory', entries: [] },
  createdAt: '2026-01-01T00:00:00.000Z',
}
const record = (rkey: string, value: unknown): ListedRecord => ({ rkey, cid: `cid-${rkey}`, value })

async function read(sites: readonly ListedRecord[]) {
  const listRecords = async (collection: string) =>
    collection === 'place.sitehost.fs' ? sites : []
  return await readRepository({
    latestCommit: async () => 'head',
    listRecords,
  } as unknown as AccountRepo)
}

test('a repository that was read whole', async () => {
  const { isComplete, sites } = await read([record('blog', manifest)])
  expect(isComplete).toBe(true)
  expect(sites.get('blog' as never)?.root?.entries).toEqual([])
})

test('of records that were left out the keys and CIDs are known, and that it is not all', async () => {
  const { isComplete, sites } = await read([record('blog', manifest), record('shop', null)])
  expect(isComplete).toBe(false)
  expect(sites.get('shop' as never)).toEqual({ cid: 'cid-shop', value: null, root: null })
})

test('eight publishes hold some 512 MB of the largest repositories', async () => {
  const asked: (number | undefined)[] = []
  await readRepository({
    latestCommit: async () => 'head',
    listRecords: async (_: string, { valuesMax }: { valuesMax?: number }) => {
      asked.push(valuesMax)
      return []
    },
  } as unknown as AccountRepo)
  const bytesPerValue = 80
  const bytes = asked.reduce<number>((sum, values = Infinity) => sum + values * bytesPerValue, 0)
  expect(8 * bytes).toBeLessThanOrEqual(512_000_000)
})

test('of parts that are too many to keep, what they name is known, so that they go with their site', async () => {
  const did = 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa'
  const uri = (key: string) => `at://${did}/place.sitehost.subfs/${key}`
  const entry = (key: string) => ({
    name: key,
    node: { type: 'subfs', subject: uri(key), flat: true },
  })
  const root = (...keys: string[]) => ({ type: 'directory', entries: keys.map(entry) })
  const createdAt = '2026-01-01T00:00:00.000Z'
  const values: Record<string, Record<string, object>> = {
    'place.sitehost.fs': { blog: { ...manifest, root: root('upper') } },
    'place.sitehost.subfs': {
      upper: { root: root('leaf'), createdAt },
      leaf: { root: root(), createdAt },
      old: { root: root(), createdAt },
    },
  }
  const repository = await readRepository({
    did,
    latestCommit: async () => 'head',
    listRecords: async (collection: string, { summarize }: ListOptions) =>
      Object.entries(values[collection] ?? {}).map(([rkey, value]) => {
        const isKept = collection === 'place.sitehost.fs'
        return record(rkey, isKept ? value : summarize(Buffer.from(JSON.stringify(value))))
      }),
  } as unknown as AccountRepo)
  expect(repository.isComplete).toBe(true)
  const blog = { did, name: parseSiteName('blog') as SiteName } as const
  expect(partsToDelete(blog, repository).sort()).toEqual(['leaf', 'upper'])
})

test('of version records that are too many to keep, what deletes them is known', async () => {
  const uri = `at://${alice}/place.sitehost.subfs/part`
  const node = { type: 'subfs', subject: uri, flat: true }
  const facts = { site: 'blog', pinned: true, expiresAt: '2027-01-01T00:00:00.000Z' }
  const value = {
    ...facts,
    root: { type: 'directory', entries: [{ name: 'part', node }] },
    createdAt: '2026-01-01T00:00:00.000Z',
    message: 'Launch',
  }
  const repo = new FakeRepo()
  const key = versionKeyOf(1)
  repo.put('place.sitehost.version', key, value)
  repo.leftOut.add('place.sitehost.version')
  const { isComplete, versions } = await readRepository(repo.asRepo)
  expect(isComplete).toBe(true)
  expect(versions.get(key)?.version).toEqual(facts as never)
  expect(versions.get(key)?.value).toMatchObject({ parts: [uri] })
  const own = await readRepository(repo.asRepo, siteOf('blog').name, { version: key })
  expect(own.versions.get(key)?.value).toEqual(value)
})

interface ListOptions {
  readonly summarize: (json: Uint8Array) => unknown
}

describe('what was read of a repository a moment ago', () => {
  const [blog, shop] = [siteOf('blog').name, siteOf('shop').name]
  const lists = 3
  let head: string
  let asked: number
  let recent: RecentRepositories
  beforeEach(() => {
    head = 'first'
    asked = 0
    recent = new RecentRepositories()
  })
  const readAgain = async (site: SiteName, valuesOfPart = 1_000, leftOut: object[] = []) => {
    const listRecords: AccountRepo['listRecords'] = async (collection, { onKept, summarize }) => {
      asked++
      if (collection !== 'place.sitehost.subfs') return []
      onKept?.(valuesOfPart)
      const summaries = leftOut.map(async (value, n) =>
        record(
          `part-${n}`,
          await summarize?.(Buffer.from(JSON.stringify(value)), async () => value),
        ),
      )
      return await Promise.all(summaries)
    }
    const repo = {
      did: alice,
      latestCommit: async () => head,
      findRecord: async () => null,
      listRecords,
    }
    return await readRepository(repo as unknown as AccountRepo, site, { recent })
  }

  test('is not read again while its head stays', async () => {
    const first = await readAgain(blog)
    expect(await readAgain(blog)).toBe(first)
    expect(asked).toBe(lists)
  })
  test('is read again after a commit', async () => {
    await readAgain(blog)
    head = 'second'
    expect(await readAgain(blog)).toMatchObject({ head })
    expect(asked).toBe(2 * lists)
  })
  test('is read again for another site, and when it was forgotten', async () => {
    await readAgain(blog)
    await readAgain(shop)
    recent.forget({ did: alice })
    await readAgain(shop)
    expect(asked).toBe(3 * lists)
  })
  test('is not kept beyond 64 MiB', async () => {
    await readAgain(blog, 430_000)
    await readAgain(blog, 430_000)
    expect(asked).toBe(2 * lists)
  })
  test('is not kept with more names of parts than there is room for, of records that were left out', async () => {
    recent = new RecentRepositories({ bytesMax: 64_000 })
    const named = Array.from({ length: 430 }, () => `at://${alice}/place.sitehost.subfs/part`)
    await readAgain(blog, 0, [{ named }])
    await readAgain(blog, 0, [{ named }])
    expect(asked).toBe(2 * lists)
  })
  test('is not kept when a record may name parts that are not known', async () => {
    await readAgain(blog, 0, [{ text: 'escaped: \u0001' }])
    await readAgain(blog, 0, [{ text: 'escaped: \u0001' }])
    expect(asked).toBe(2 * lists)
  })
})
