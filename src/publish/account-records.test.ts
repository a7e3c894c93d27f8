import { expect, test } from 'bun:test'
import type { AccountRepo, ListedRecord } from '#atproto/account-repo.ts'
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
