import { describe, expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import { readChanges } from '#store/database/changes.ts'
import type { AccountStatus } from '#store/database/schema.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { findServedSite } from '#tests/support/visitors/find-served-site.ts'
import { beginCheck, listDeletedAccounts, recordCheck, setAccountStatus } from './account-status.ts'
import {
  findAccount,
  findDidByHandle,
  findSigningKey,
  listAccounts,
  recordHandle,
  upsertAccount,
} from './accounts.ts'
import { authorityOf, createBrowserSession, setAuthority } from './sessions.ts'

onEachStore('store/accounts/accounts', (db) => {
  test('an unknown account is null', async () => {
    expect(await findAccount(db(), alice)).toBeNull()
  })

  test('a new account is active', async () => {
    const account = { did: alice, handle: 'alice.test', pds: 'https://pds.test' }
    const stored = {
      ...account,
      status: 'active',
      statusSince: 5,
      lastCheck: 0,
      signingKey: null,
    } as const
    const times = { createdAt: 5, updatedAt: 5 }
    expect(await upsertAccount(db(), account, 5)).toEqual({ ...stored, ...times })
    expect(await findAccount(db(), alice)).toEqual({ ...stored, ...times })
  })

  test('omitted fields stay, null ones are cleared', async () => {
    await upsertAccount(db(), { did: alice, handle: 'alice.test', pds: 'https://pds.test' }, 5)
    await upsertAccount(db(), { did: alice, handle: null }, 6)
    expect(await findAccount(db(), alice)).toMatchObject({
      handle: null,
      pds: 'https://pds.test',
      createdAt: 5,
      updatedAt: 6,
    })
  })

  test('a handle leads only to the account that was last seen with it', async () => {
    await upsertAccount(db(), { did: alice, handle: 'name.test', pds: 'https://pds.test' }, 1)
    await upsertAccount(db(), { did: bob, handle: 'name.test' }, 2)
    expect(await findDidByHandle(db(), 'name.test')).toBe(bob)
    // A later update of its former account does not bring it back.
    await upsertAccount(db(), { did: alice }, 3)
    const check = await beginCheck(db())
    const found = { did: alice, check, status: 'deactivated', pds: 'https://other.test' } as const
    await recordCheck(db(), found, 4)
    await setAccountStatus(db(), alice, 'active', 5, check)
    expect(await findDidByHandle(db(), 'name.test')).toBe(bob)
    expect(await findAccount(db(), alice)).toMatchObject({ handle: null })

    await recordHandle(db(), { did: alice, check, handle: 'name.test' }, 6)
    expect(await findDidByHandle(db(), 'name.test')).toBe(alice)
    expect(await findAccount(db(), bob)).toMatchObject({ handle: null })
  })

  test('of several accounts that get one handle concurrently, one keeps it', async () => {
    const dids = Array.from({ length: 10 }, (_, i) => accountOf(i))
    await Promise.all(dids.map((did) => upsertAccount(db(), { did, handle: 'name.test' }, 1)))
    await Promise.all(
      dids.map((did) => recordHandle(db(), { did, check: 0, handle: 'name.test' }, 2)),
    )
    const handles = (await listAccounts(db())).map(({ handle }) => handle)
    expect(handles.filter((handle) => handle !== null)).toEqual(['name.test'])
    expect(handles).toHaveLength(10)
  })

  test('meeting an account again does not make it active', async () => {
    await setAccountStatus(db(), alice, 'deactivated', 1)
    await upsertAccount(db(), { did: alice }, 2)
    expect(await findAccount(db(), alice)).toMatchObject({ status: 'deactivated' })
  })

  test('accounts are listed by DID, page by page', async () => {
    await upsertAccount(db(), { did: bob }, 1)
    await upsertAccount(db(), { did: alice }, 2)
    const listed = async (after?: string) =>
      (await listAccounts(db(), { limit: 1, ...(after && { after }) })).map(({ did }) => did)
    expect(await listed()).toEqual([alice])
    expect(await listed(alice)).toEqual([bob])
    expect(await listed(bob)).toEqual([])
  })

  test('deleted accounts are listed longest ago first, whatever is learned of them later', async () => {
    await setAccountStatus(db(), bob, 'deleted', 5)
    await setAccountStatus(db(), alice, 'deleted', 9)
    await setAccountStatus(db(), accountOf(1), 'takendown', 1)
    await setAccountStatus(db(), bob, 'deleted', 20)
    await upsertAccount(db(), { did: bob, handle: null }, 21)
    const listed = (before: number, limit = 9) => listDeletedAccounts(db(), { before, limit })
    expect(await listed(5)).toEqual([])
    expect(await listed(6)).toEqual([bob])
    expect(await listed(10)).toEqual([bob, alice])
    expect(await listed(10, 1)).toEqual([bob])
  })

  test('an inactive account’s sites are hidden, and shown again with it', async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersion(db(), newVersion({ site: siteOf('blog') }), 1)
    await recordVersion(db(), newVersion({ site: siteOf('shop'), label: 's--shop' }), 1)

    expect(await setAccountStatus(db(), alice, 'takendown', 2)).toBe(true)
    expect(await findServedSite(db(), siteOf('blog'))).toBeNull()
    expect(await setAccountStatus(db(), alice, 'active', 3)).toBe(true)
    expect(await findServedSite(db(), siteOf('blog'))).not.toBeNull()

    const told = (await readChanges(db(), 0)).filter(({ createdAt }) => createdAt >= 2)
    expect(told.map(({ seq: _, ...facts }) => facts)).toEqual([
      { kind: 'site', label: siteLabel(siteOf('blog')), createdAt: 2 },
      { kind: 'site', label: siteLabel(siteOf('shop')), createdAt: 2 },
      { kind: 'site', label: siteLabel(siteOf('blog')), createdAt: 3 },
      { kind: 'site', label: siteLabel(siteOf('shop')), createdAt: 3 },
    ])
  })

  test('an unchanged status appends no change', async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersion(db(), newVersion({ site: siteOf('blog') }), 1)
    await setAccountStatus(db(), alice, 'suspended', 2)
    expect(await setAccountStatus(db(), alice, 'suspended', 3)).toBe(false)
    expect(await readChanges(db(), 0)).toHaveLength(2)
  })

  test('checks are numbered in the order in which they begin', async () => {
    const one = await beginCheck(db())
    const more = await Promise.all([beginCheck(db()), beginCheck(db()), beginCheck(db())])
    expect(new Set(more).size).toBe(3)
    expect(Math.min(...more)).toBeGreaterThan(one)
    expect(await beginCheck(db())).toBeGreaterThan(Math.max(...more))
  })

  test('a check does not replace what a later check has found', async () => {
    await upsertAccount(db(), { did: alice, handle: 'now.test' }, 1)
    await upsertAccount(db(), { did: bob, handle: 'then.test' }, 1)
    const [earlier, later] = [await beginCheck(db()), await beginCheck(db())]
    const record = (check: number, status: AccountStatus, pds: string) =>
      recordCheck(db(), { did: alice, check, status, pds, signingKey: `key of ${pds}` }, 2)

    // An unchanged status counts as found too: earlier checks are ignored.
    expect(await record(later, 'active', 'https://now.test')).toBe('same-status')
    expect(await record(earlier, 'takendown', 'https://then.test')).toBe('ignored')
    expect(await setAccountStatus(db(), alice, 'takendown', 2, earlier)).toBe(false)
    await recordHandle(db(), { did: alice, check: earlier, handle: 'then.test' }, 3)
    expect(await findSigningKey(db(), alice)).toBe('key of https://now.test')
    const now = { handle: 'now.test', pds: 'https://now.test' }
    expect(await findAccount(db(), alice)).toMatchObject({ status: 'active', ...now })
    expect(await findDidByHandle(db(), 'then.test')).toBe(bob)

    expect(await record(await beginCheck(db()), 'takendown', now.pds)).toBe('status-changed')
    expect(await findAccount(db(), alice)).toMatchObject({ status: 'takendown', ...now })
  })

  describe('sessions of an account', () => {
    const here = { pds: 'https://here.test', signingKey: 'zHere' }
    /** One with the authority of `here`, one without an authority, and bob's. */
    async function signIn(): Promise<void> {
      for (const did of [alice, bob]) await upsertAccount(db(), { did }, 1)
      for (const [idHash, did] of Object.entries({ here: alice, unknown: alice, bobs: bob })) {
        await createBrowserSession(db(), { idHash, did, expiresAt: 1000 }, 1)
      }
      for (const idHash of ['here', 'bobs']) {
        await setAuthority(db(), idHash, authorityOf(here.pds, here.signingKey))
      }
    }
    const check = async (status: AccountStatus, facts: { pds?: string; signingKey?: string }) =>
      recordCheck(db(), { did: alice, check: await beginCheck(db()), status, ...facts }, 2)
    const left = async () => {
      const rows = await db().selectFrom('browserSessions').select('idHash').execute()
      return rows.map(({ idHash }) => idHash).toSorted()
    }

    test('stay while it has the same server and key', async () => {
      await signIn()
      expect(await check('active', here)).toBe('same-status')
      expect(await left()).toEqual(['bobs', 'here', 'unknown'])
    })

    for (const status of ['deactivated', 'takendown', 'suspended', 'deleted'] as const) {
      test(`end when it is ${status}`, async () => {
        await signIn()
        expect(await check(status, status === 'deleted' ? {} : here)).toBe('status-changed')
        expect(await left()).toEqual(['bobs'])
      })
    }

    for (const moved of [{ pds: 'https://there.test' }, { signingKey: 'zThere' }]) {
      test(`end when it has moved to another ${Object.keys(moved)}`, async () => {
        await signIn()
        expect(await check('active', { ...here, ...moved })).toBe('moved')
        expect(await left()).toEqual(['bobs', 'unknown'])
      })
    }

    test('that begin while it is known to be inactive stay', async () => {
      await upsertAccount(db(), { did: alice }, 1)
      await check('deactivated', here)
      await signIn()
      expect(await check('deactivated', here)).toBe('same-status')
      expect(await left()).toEqual(['bobs', 'here', 'unknown'])
    })
  })

  test('findings about an unknown account are not stored', async () => {
    const check = await beginCheck(db())
    expect(await recordCheck(db(), { did: alice, check, status: 'active' }, 1)).toBe('ignored')
    await recordHandle(db(), { did: alice, check, handle: 'name.test' }, 1)
    expect(await findAccount(db(), alice)).toBeNull()
    expect(await findSigningKey(db(), alice)).toBeNull()
  })
})
