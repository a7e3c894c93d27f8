import { expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  nameOf,
  newVersion,
  newVersionRecord,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import {
  findTakedown,
  findTakedownByLabel,
  listTakedowns,
  putTakedown,
  removeTakedown,
} from './takedowns.ts'

onEachStore('store/moderation/takedowns', (db) => {
  const blog = siteOf('blog')
  const takeDown = (site: string, status: 451 | 404 = 451, did = alice) =>
    putTakedown(db(), {
      did,
      site: site === '' ? '' : nameOf(site),
      status,
      reason: 'a court said so',
      actor: 'ruth',
      at: 1,
    })
  const statusOf = async (name: string, did = alice) =>
    (await findTakedown(db(), siteOf(name, did)))?.status ?? null
  const statusAt = (name: string, did = alice) =>
    findTakedownByLabel(db(), siteLabel(siteOf(name, did)))

  test('one site is taken down, and no other one', async () => {
    await takeDown('blog')
    expect([await statusOf('blog'), await statusAt('blog')]).toEqual([451, 451])
    expect([await statusOf('other'), await statusAt('other')]).toEqual([null, null])
    expect([await statusOf('blog', bob), await statusAt('blog', bob)]).toEqual([null, null])
  })

  test('an account is taken down with all its sites, whose own takedowns stay', async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersion(db(), newVersion({ label: siteLabel(blog) }), 1)
    await takeDown('blog', 451)
    await takeDown('', 404)
    expect([await statusOf('blog'), await statusOf('other')]).toEqual([404, 404])
    expect(await statusAt('blog')).toBe(404)
    expect(await removeTakedown(db(), { did: alice, site: '' })).toMatchObject({ status: 404 })
    expect([await statusOf('blog'), await statusOf('other')]).toEqual([451, null])
  })

  test('a version of the site is taken down with it, and with its account', async () => {
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersionRecord(db(), newVersionRecord(1), 1)
    expect(await findTakedownByLabel(db(), 'v--1')).toBeNull()
    await takeDown('other')
    expect(await findTakedownByLabel(db(), 'v--1')).toBeNull()
    await takeDown('', 404)
    expect(await findTakedownByLabel(db(), 'v--1')).toBe(404)
    await removeTakedown(db(), { did: alice, site: '' })
    await takeDown('blog')
    expect(await findTakedownByLabel(db(), 'v--1')).toBe(451)
  })

  test('a later takedown replaces an earlier one', async () => {
    await takeDown('blog', 451)
    await takeDown('blog', 404)
    expect(await listTakedowns(db(), alice)).toMatchObject([{ site: 'blog', status: 404 }])
  })

  test('what is not taken down cannot be brought back', async () => {
    await takeDown('blog')
    expect(await removeTakedown(db(), { did: alice, site: '' })).toBeNull()
    expect(await removeTakedown(db(), { did: alice, site: blog.name })).not.toBeNull()
    expect(await removeTakedown(db(), { did: alice, site: blog.name })).toBeNull()
  })
})
