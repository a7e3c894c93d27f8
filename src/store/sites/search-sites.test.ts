import { beforeEach, expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  newVersion,
  removedSites,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { recordVersion } from './record-version.ts'
import { listNewestSites, type SiteState, searchSites, siteKey } from './search-sites.ts'

onEachStore('store/sites/search-sites', (db) => {
  beforeEach(async () => {
    await upsertAccount(db(), { did: alice, handle: 'alice.test' }, 1)
    await upsertAccount(db(), { did: bob, handle: 'bob_o.test' }, 1)
    for (const [at, name] of ['old', 'Blog', '100-a', 'new'].entries()) {
      await record(name, at + 1)
    }
    await record('blog', 5, bob)
    await db().insertInto('sites').values(removedSites(1)).execute()
  })
  const record = (name: string, at: number, did = alice, facts = {}) => {
    const site = siteOf(name, did)
    return recordVersion(db(), newVersion({ site, label: siteLabel(site), ...facts }), at)
  }
  const found = async (search: string, state: SiteState | null = null, limit = 50) =>
    (await searchSites(db(), { search, state, after: null, limit })).map(({ name }): string => name)
  const all = ['blog', 'new', '100-a', 'Blog', 'old']

  test('newest first, without removed ones', async () => {
    expect(await found('')).toEqual(all)
    const second = await listNewestSites(db(), { limit: 2, offset: 1 })
    expect(second.map(({ name }): string => name)).toEqual(['new', '100-a'])
  })

  const searches: [string, string[]][] = [
    ['LO', ['blog', 'Blog']],
    ['%', []],
    ['_', []],
    [alice, ['new', '100-a', 'Blog', 'old']],
    ['plc:aaaa', ['new', '100-a', 'Blog', 'old']],
    ['bob_o', ['blog']],
    ['o.test', []],
    [siteLabel(siteOf('blog', bob)).slice(5), ['blog']],
    ["' or 1=1 --", []],
    ['\0', []],
  ]
  test.each(searches)('%p', async (search, names) => {
    expect(await found(search)).toEqual(names)
  })

  test('page by page', async () => {
    const [, second] = await searchSites(db(), { search: '', state: null, after: null, limit: 2 })
    const after = second ? siteKey(second) : null
    const rest = await searchSites(db(), { search: '', state: null, after, limit: 9 })
    expect(rest.map(({ name }): string => name)).toEqual(['100-a', 'Blog', 'old'])
  })

  test('by an offset of more sites than SQLite reads at a time', async () => {
    const many = Array.from({ length: 10_002 }, (_, n) => ({
      ...siteOf(`many-${n}`, bob),
      ...{ label: `s--many-${n}`, liveVersionId: null, removedRev: null, withdrawWith: null },
      ...{ createdAt: 100_000 - n, updatedAt: 1 },
    }))
    for (const some of chunksOf(many)) await db().insertInto('sites').values(some).execute()
    const at = async (offset: number) => {
      const sites = await listNewestSites(db(), { limit: 2, offset })
      return sites.map(({ name }): string => name)
    }
    expect(await at(9_999)).toEqual(['many-9999', 'many-10000'])
    expect(await at(10_000)).toEqual(['many-10000', 'many-10001'])
    expect(await at(10_006)).toEqual(['old'])
    expect(await at(30_000)).toEqual([])
  })

  test('by what they are', async () => {
    await record('old', 9, alice, { rev: '3kaaaaaaaaaa3', snapshot: null, problems: ['no'] })
    await setAccountStatus(db(), bob, 'deactivated', 10)
    expect(await found('', 'refused')).toEqual(['old'])
    expect(await found('', 'hidden')).toEqual(['blog'])
    expect(await found('', 'live')).toEqual(['new', '100-a', 'Blog'])
    expect(await found('', 'parked')).toEqual([])
    await record('old', 11, alice, { rev: '3kaaaaaaaaaa4' })
    expect(await found('', 'refused')).toEqual([])
  })

  test('offline: taken down, alone or with the whole account', async () => {
    const facts = { status: 451, reason: 'no', actor: 'ruth', at: 9 } as const
    await putTakedown(db(), { did: alice, site: siteOf('new').name, ...facts })
    expect(await found('', 'offline')).toEqual(['new'])
    expect(await found('', 'live')).toEqual(['blog', '100-a', 'Blog', 'old'])
    await setAccountStatus(db(), bob, 'deactivated', 10)
    await putTakedown(db(), { did: bob, site: '', ...facts })
    expect(await found('', 'offline')).toEqual(['blog', 'new'])
    expect(await found('', 'hidden')).toEqual([])
  })
})
