import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/databases.ts'
import { alice, bob, newVersion, siteOf } from '#tests/support/sample-rows.ts'
import { findAccount, listAccounts, setAccountStatus, upsertAccount } from './accounts.ts'
import { readChanges } from './changes.ts'
import { recordVersion } from './record-version.ts'
import { findServedSite } from './sites.ts'

await onEachStore('store/accounts', (db) => {
  test('an unknown account is null', async () => {
    expect(await findAccount(db(), alice)).toBeNull()
  })

  test('a new account is active', async () => {
    const account = { did: alice, handle: 'alice.test', pds: 'https://pds.test' }
    const stored = { ...account, status: 'active', createdAt: 5, updatedAt: 5 } as const
    expect(await upsertAccount(db(), account, 5)).toEqual(stored)
    expect(await findAccount(db(), alice)).toEqual(stored)
  })

  test('what is left out stays, what is null is forgotten', async () => {
    await upsertAccount(db(), { did: alice, handle: 'alice.test', pds: 'https://pds.test' }, 5)
    await upsertAccount(db(), { did: alice, handle: null }, 6)
    expect(await findAccount(db(), alice)).toMatchObject({
      handle: null,
      pds: 'https://pds.test',
      createdAt: 5,
      updatedAt: 6,
    })
  })

  test('meeting an account again does not make it active', async () => {
    await setAccountStatus(db(), alice, 'deactivated', 1)
    await upsertAccount(db(), { did: alice }, 2)
    expect(await findAccount(db(), alice)).toMatchObject({ status: 'deactivated' })
  })

  test('accounts are listed by DID, a page at a time', async () => {
    await upsertAccount(db(), { did: bob }, 1)
    await upsertAccount(db(), { did: alice }, 2)
    const listed = async (after?: string) =>
      (await listAccounts(db(), { limit: 1, ...(after && { after }) })).map(({ did }) => did)
    expect(await listed()).toEqual([alice])
    expect(await listed(alice)).toEqual([bob])
    expect(await listed(bob)).toEqual([])
  })

  test('an account that leaves takes its sites along, and brings them back', async () => {
    await recordVersion(db(), newVersion({ site: siteOf('blog') }), 1)
    await recordVersion(db(), newVersion({ site: siteOf('shop'), label: 's--shop' }), 1)

    expect(await setAccountStatus(db(), alice, 'takendown', 2)).toBe(true)
    expect(await findServedSite(db(), siteOf('blog'))).toBeNull()
    expect(await setAccountStatus(db(), alice, 'active', 3)).toBe(true)
    expect(await findServedSite(db(), siteOf('blog'))).not.toBeNull()

    const told = (await readChanges(db(), 0)).filter(({ createdAt }) => createdAt >= 2)
    expect(told.map(({ seq: _, ...facts }) => facts)).toEqual([
      { kind: 'site', ...siteOf('blog'), createdAt: 2 },
      { kind: 'site', ...siteOf('shop'), createdAt: 2 },
      { kind: 'site', ...siteOf('blog'), createdAt: 3 },
      { kind: 'site', ...siteOf('shop'), createdAt: 3 },
    ])
  })

  test('the status it already has tells nobody', async () => {
    await recordVersion(db(), newVersion({ site: siteOf('blog') }), 1)
    await setAccountStatus(db(), alice, 'suspended', 2)
    expect(await setAccountStatus(db(), alice, 'suspended', 3)).toBe(false)
    expect(await readChanges(db(), 0)).toHaveLength(2)
  })
})
