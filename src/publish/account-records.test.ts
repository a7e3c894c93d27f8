import { expect, test } from 'bun:test'
import type { AccountRepo, ListedRecord } from '#atproto/repo/account-repo.ts'
import { readRepository } from './account-records.ts'

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
