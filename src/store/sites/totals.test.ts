import { expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { chunksOf } from '#store/database/chunks.ts'
import { claimSubdomain } from '#store/names/subdomains.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  accountOf,
  alice,
  newVersion,
  removedSites,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { recordVersion } from './record-version.ts'
import { readTotals } from './totals.ts'

onEachStore('store/sites/totals', (db) => {
  const none = { sites: 0, bytes: 0 }
  const empty = { accounts: 0, sites: 0, subdomains: 0, customDomains: 0, live: none }

  test('sites that are not removed, and the bytes of their live versions', async () => {
    expect(await readTotals(db())).toEqual(empty)
    await upsertAccount(db(), { did: alice }, 1)
    await claimSubdomain(
      db(),
      { did: alice, domain: 'a.sites.example' },
      { subdomainsMax: 1, now: 1 },
    )
    const record = (name: string, at: number, facts = {}) =>
      recordVersion(db(), newVersion({ site: siteOf(name), label: `s--${name}`, ...facts }), at)
    await record('one', 1, { bytes: 100 })
    await record('one', 2, { bytes: 200, rev: '3kaaaaaaaaaa3', recordCid: 'cid-2' })
    await record('two', 3, { bytes: 30 })
    await record('refused', 4, { snapshot: null, problems: ['no'] })
    await db().insertInto('sites').values(removedSites(1)).execute()
    const live = { sites: 2, bytes: 230 }
    expect(await readTotals(db())).toEqual({ ...empty, accounts: 1, subdomains: 1, sites: 3, live })
  })

  test('of more rows than SQLite reads at a time', async () => {
    const rows = Array.from({ length: 20_001 }, (_, n) => ({
      did: accountOf(n),
      status: 'active' as const,
      createdAt: 1,
      updatedAt: 1,
    }))
    for (const some of chunksOf(rows)) await db().insertInto('accounts').values(some).execute()
    expect((await readTotals(db())).accounts).toBe(20_001)
    await db().deleteFrom('accounts').where('did', '=', accountOf(7)).execute()
    expect((await readTotals(db())).accounts).toBe(20_000)
  })
})
