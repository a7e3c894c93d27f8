import { describe, expect, test } from 'bun:test'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { createJob } from '#store/queues/jobs.ts'
import { findQuotaProblem } from '#store/sites/account-quota.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { listVersions } from '#store/sites/versions.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  nameOf,
  newJob,
  newVersion,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { limitsOfAccount, putLimitOverrides } from './account-limits.ts'
import {
  addAllowedAccount,
  isAllowedAccount,
  isListed,
  listAllowedAccounts,
  removeAllowedAccount,
} from './allowed-accounts.ts'
import {
  addInvitation,
  endedInvitationMs,
  isOpenInvitation,
  listInvitations,
  revokeInvitation,
  takeInvitation,
} from './invitations.ts'

onEachStore('store/moderation: limits of an account', (db) => {
  const defaults = { accountSitesMax: 10, accountBytesMax: 1000, uploadsPerDayMax: undefined }

  test('an account has the defaults, and its own limits in their place, 0 included', async () => {
    expect(await limitsOfAccount(db(), alice, defaults)).toEqual(defaults)
    await putLimitOverrides(db(), alice, { sitesMax: 0, bytesMax: null, uploadsPerDayMax: 5 })
    const own = { accountSitesMax: 0, accountBytesMax: 1000, uploadsPerDayMax: 5 }
    expect(await limitsOfAccount(db(), alice, defaults)).toEqual(own)
    expect(await limitsOfAccount(db(), bob, defaults)).toEqual(defaults)
    await putLimitOverrides(db(), alice, { sitesMax: null, bytesMax: null, uploadsPerDayMax: null })
    expect(await limitsOfAccount(db(), alice, defaults)).toEqual(defaults)
  })

  test('a new site beyond the limit is not stored; removed ones do not count, known ones stay', async () => {
    await upsertAccount(db(), { did: alice }, 1)
    const publish = (name: string, sitesMax?: number, rev = '3kaaaaaaaaaa2') =>
      recordVersion(
        db(),
        newVersion({ site: siteOf(name), label: `s--${name}`, rev }),
        1,
        undefined,
        {
          accountSitesMax: sitesMax,
        },
      )
    expect([await publish('a', 2), await publish('b', 2), await publish('c', 2)]).toEqual([
      'went-live',
      'went-live',
      'too-many',
    ])
    await removeSite(db(), siteOf('b'), '3kaaaaaaaaaa3', 2)
    expect(await publish('c', 2)).toBe('went-live')
    expect(await publish('b', 2, '3kaaaaaaaaaa4')).toBe('too-many')
    await putLimitOverrides(db(), alice, { sitesMax: 3, bytesMax: null, uploadsPerDayMax: null })
    expect(await publish('d', 2)).toBe('went-live')
    await putLimitOverrides(db(), alice, { sitesMax: 0, bytesMax: null, uploadsPerDayMax: null })
    expect(await publish('a', 2)).toBe('already-live')
  })

  test('refused sites beyond a limit that was lowered can be removed', async () => {
    await upsertAccount(db(), { did: alice }, 1)
    const refused = { snapshot: null, problems: ['no'] }
    for (const name of ['a', 'b', 'c']) {
      const site = { site: siteOf(name), label: `s--${name}` }
      await recordVersion(db(), newVersion({ ...site, ...refused }), 1)
    }
    await putLimitOverrides(db(), alice, { sitesMax: 1, bytesMax: null, uploadsPerDayMax: null })
    expect(await removeSite(db(), siteOf('b'), '3kaaaaaaaaaa3', 2)).toBe(true)
    expect(await listVersions(db(), siteOf('b'))).toEqual([])
    expect(await removeSite(db(), siteOf('b'), '3kaaaaaaaaaa3', 3)).toBe(false)
    expect(await removeSite(db(), siteOf('unknown'), '3kaaaaaaaaaa3', 3)).toBe(false)
  })

  test('bytes beyond the account’s own limit are a problem', async () => {
    const problem = () => findQuotaProblem(db(), siteOf('a'), 500, defaults)
    expect(await problem()).toBeNull()
    await putLimitOverrides(db(), alice, { sitesMax: null, bytesMax: 499, uploadsPerDayMax: null })
    expect(await problem()).toStartWith('The sites of an account can take')
  })

  test('uploads count for 24 hours, by account', async () => {
    const day = 24 * 60 * 60 * 1000
    const begin = (now: number, uploadsPerDayMax?: number, did = alice) =>
      createJob(db(), newJob({ did, site: nameOf(`n${now}`) }), {
        ...{ queuedMax: 9, now },
        limits: { uploadsPerDayMax },
      })
    expect([await begin(1, 2), await begin(2, 2)]).toEqual([{ created: true }, { created: true }])
    expect(await begin(3, 2)).toEqual({ created: false, reason: 'daily-limit', uploadsMax: 2 })
    expect(await begin(4, 2, bob)).toEqual({ created: true })
    expect(await begin(day + 1, 2)).toEqual({ created: true })
    expect((await begin(day + 2, 1)).created).toBe(false)
    await putLimitOverrides(db(), alice, { sitesMax: null, bytesMax: null, uploadsPerDayMax: 9 })
    expect(await begin(day + 3, 1)).toEqual({ created: true })
  })
})

onEachStore('store/moderation: allowed accounts', (db) => {
  const allow = (account: string, max?: number) =>
    addAllowedAccount(db(), { account, addedBy: 'ruth', at: 1 }, max)

  test('an account is allowed by its DID, or by the handle that it has now', async () => {
    await upsertAccount(db(), { did: bob, handle: 'bob.test' }, 1)
    await allow(alice)
    await allow('bob.test')
    expect([await isAllowedAccount(db(), alice), await isAllowedAccount(db(), bob)]).toEqual([
      true,
      true,
    ])
    await upsertAccount(db(), { did: bob, handle: 'robert.test' }, 2)
    expect(await isAllowedAccount(db(), bob)).toBe(false)
    expect(await isListed(db(), [bob, 'bob.test'])).toBe(true)
    expect(await isListed(db(), [bob, 'robert.test'])).toBe(false)
  })

  test('one that is removed is allowed no more', async () => {
    await allow(alice)
    expect(await removeAllowedAccount(db(), alice)).toBe(true)
    expect(await removeAllowedAccount(db(), alice)).toBe(false)
    expect(await isAllowedAccount(db(), alice)).toBe(false)
  })

  test('the list is bounded, and read page by page', async () => {
    expect([await allow('a.test', 2), await allow('b.test', 2)]).toEqual([true, true])
    expect([await allow('c.test', 2), await allow('a.test', 2)]).toEqual([false, true])
    const names = async (after?: string) =>
      (await listAllowedAccounts(db(), { after, limit: 1 })).map(({ account }) => account)
    expect([await names(), await names('a.test'), await names('b.test')]).toEqual([
      ['a.test'],
      ['b.test'],
      [],
    ])
  })

  test('the list is searched by the beginning of a name', async () => {
    for (const account of ['bob.test', 'carol.test', 'did:plc:Carol']) {
      await addAllowedAccount(db(), { account, addedBy: 'ruth', at: 1 })
    }
    const found = async (search: string) =>
      (await listAllowedAccounts(db(), { search, limit: 9 })).map(({ account }) => account)
    expect(await found('Carol')).toEqual(['carol.test'])
    expect(await found('did:plc:C')).toEqual(['did:plc:Carol'])
    expect(await found('arol')).toEqual([])
  })
})

onEachStore('store/moderation: invitations', (db) => {
  const invite = (codeHash: string, createdAt = 1, max?: number) =>
    addInvitation(db(), { codeHash, createdBy: 'ruth', createdAt, expiresAt: createdAt + 100 }, max)

  test('an invitation is used once, by the first', async () => {
    await invite('x')
    expect(await isOpenInvitation(db(), 'x', 50)).toBe(true)
    const uses = [alice, bob, alice].map((did) => takeInvitation(db(), 'x', did, 50))
    expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1)
    expect(await isOpenInvitation(db(), 'x', 50)).toBe(false)
    expect(await listInvitations(db(), { limit: 9 })).toMatchObject([{ codeHash: 'x', usedAt: 50 }])
  })

  describe('nobody uses one', () => {
    test('that is over', async () => {
      await invite('x')
      expect([
        await isOpenInvitation(db(), 'x', 101),
        await takeInvitation(db(), 'x', bob, 101),
      ]).toEqual([false, false])
      expect(await takeInvitation(db(), 'x', bob, 100)).toBe(true)
    })

    test('that was revoked, which a used one cannot be', async () => {
      await invite('x')
      await invite('y')
      await takeInvitation(db(), 'y', bob, 2)
      expect([await revokeInvitation(db(), 'x'), await revokeInvitation(db(), 'y')]).toEqual([
        true,
        false,
      ])
      expect(await takeInvitation(db(), 'x', bob, 2)).toBe(false)
    })

    test('that nobody made', async () => {
      expect(await takeInvitation(db(), 'z', bob, 2)).toBe(false)
    })
  })

  test('a limited number is open; those that ended long ago are forgotten', async () => {
    expect([await invite('a', 1, 1), await invite('b', 50, 1)]).toEqual([true, false])
    expect(await invite('c', 101, 1)).toBe(true)
    await invite('d', 102 + endedInvitationMs, 1)
    expect((await listInvitations(db(), { limit: 9 })).map(({ codeHash }) => codeHash)).toEqual([
      'd',
      'c',
    ])
  })

  test('they are listed newest first, page by page', async () => {
    for (const [codeHash, at] of [
      ['a', 1],
      ['b', 2],
      ['c', 2],
    ] as const)
      await invite(codeHash, at)
    const first = await listInvitations(db(), { limit: 2 })
    const rest = await listInvitations(db(), { limit: 2, before: first.at(-1) })
    expect([...first, ...rest].map(({ codeHash }) => codeHash)).toEqual(['c', 'b', 'a'])
  })
})
