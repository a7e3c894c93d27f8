import { beforeEach, expect, test } from 'bun:test'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, newVersion, siteOf } from '#tests/support/database/sample-rows.ts'
import { type NewVersion, recordVersion } from './record-version.ts'
import { removeSite } from './remove-site.ts'
import {
  findSite,
  findSiteByLabel,
  listServedLabels,
  listSites,
  servedLabelsAmong,
} from './sites.ts'

onEachStore('store/sites/sites', (db) => {
  beforeEach(async () => void (await upsertAccount(db(), { did: alice }, 1)))
  const blog = siteOf('blog')
  const record = (facts: Partial<NewVersion> = {}, now = 1) =>
    recordVersion(db(), newVersion(facts), now)

  test('an unknown site is null, by address and by label', async () => {
    expect(await findSite(db(), blog)).toBeNull()
    expect(await findSiteByLabel(db(), 's--blog')).toBeNull()
  })

  test('a site comes with its live version, but without the snapshot', async () => {
    await record({ bytes: 7_000_000_000 }, 5)
    expect(await findSite(db(), blog)).toEqual({
      ...blog,
      label: 's--blog',
      live: {
        id: expect.any(String),
        recordCid: 'cid-1',
        rev: '3kaaaaaaaaaa2',
        state: 'live',
        problems: [],
        fileCount: 2,
        bytes: 7_000_000_000,
        publishedAt: 1,
        seenAt: 5,
        replacedAt: null,
      },
      refused: null,
      createdAt: 5,
      updatedAt: 5,
    })
  })

  test('a served site is found by its label, with the snapshot', async () => {
    await record({ snapshot: '{"näme":"日本"}' }, 5)
    const served = {
      ...blog,
      label: 's--blog',
      versionId: expect.any(String),
      recordCid: 'cid-1',
      snapshot: '{"näme":"日本"}',
      publishedAt: 1,
      liveSince: 5,
      primaryDomain: null,
    }
    expect(await findSiteByLabel(db(), 's--blog')).toEqual(served)
  })

  test.each(['deactivated', 'takendown', 'suspended', 'deleted'] as const)(
    'nothing is served for an account that is %s',
    async (status) => {
      await record()
      await setAccountStatus(db(), alice, status, 2)
      expect(await findSiteByLabel(db(), 's--blog')).toBeNull()
      expect(await listServedLabels(db())).toEqual([])
      expect(await servedLabelsAmong(db(), ['s--blog'])).toEqual([])
      expect(await findSite(db(), blog)).not.toBeNull()
    },
  )

  test('a site that was never valid is known, not served', async () => {
    await record({ snapshot: null, problems: ['bad'] })
    expect(await findSite(db(), blog)).toMatchObject({ live: null, refused: { problems: ['bad'] } })
    expect(await findSiteByLabel(db(), 's--blog')).toBeNull()
  })

  test("an account's sites are listed oldest first, each with its own versions", async () => {
    await record({ site: siteOf('b'), label: 's--b' }, 1)
    await record({ site: siteOf('a'), label: 's--a' }, 2)
    await record(
      {
        site: siteOf('a'),
        label: 's--a',
        rev: '4',
        recordCid: 'c',
        snapshot: null,
        problems: ['bad'],
      },
      3,
    )
    await record({ site: siteOf('c', bob), label: 's--c' }, 3)
    await record({ site: siteOf('gone'), label: 's--gone' }, 4)
    await removeSite(db(), siteOf('gone'), '9', 5)
    const sites = await listSites(db(), alice)
    expect(sites.map(({ name, refused }) => [String(name), refused?.problems])).toEqual([
      ['b', undefined],
      ['a', ['bad']],
    ])
    expect(sites.every(({ live }) => live?.recordCid === 'cid-1')).toBe(true)
  })

  test('sites of several queries are all listed, each with its own newest version', async () => {
    const names = Array.from({ length: 51 }, (_, n) => `n-${n}`)
    for (const [n, name] of names.entries()) {
      const site = { site: siteOf(name), label: `s--${name}` }
      await record({ ...site, recordCid: `first-of-${name}` }, n)
      await record({ ...site, recordCid: `cid-of-${name}`, rev: '3kaaaaaaaaaa3' }, n)
    }
    const sites = await listSites(db(), alice)
    expect(sites.map(({ name, live }) => [String(name), live?.recordCid])).toEqual(
      names.map((name) => [name, `cid-of-${name}`]),
    )
  })

  test('served labels are listed in order, page by page', async () => {
    for (const name of ['c', 'a', 'b']) await record({ site: siteOf(name), label: `s--${name}` })
    expect(await listServedLabels(db(), { limit: 2 })).toEqual(['s--a', 's--b'])
    expect(await listServedLabels(db(), { after: 's--b' })).toEqual(['s--c'])
    expect(await servedLabelsAmong(db(), ['s--none', 's--b'])).toEqual([['s--b', alice]])
    expect(await servedLabelsAmong(db(), [])).toEqual([])
  })
})
