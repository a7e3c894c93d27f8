import { beforeEach, expect, test } from 'bun:test'
import { previewLabel } from '#site/preview-label.ts'
import { siteLabel } from '#site/site-address.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { readChanges } from '#store/database/changes.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { expireVersions } from './expire-versions.ts'
import { findPreviews } from './previews.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
  removeVersionRecord,
} from './version-records/record-version-record.ts'
import { findVersionByLabel } from './version-records/version-addresses.ts'

onEachStore('store/sites/previews', (db) => {
  const blog = siteOf('blog')
  const label = siteLabel(blog)
  beforeEach(async () => void (await upsertAccount(db(), { did: alice }, 1)))
  const keep = (n: number, facts: Partial<NewVersionRecord> = {}) => {
    const preview = { manifest: null, alias: 'pr-12', expiresAt: 100 }
    return recordVersionRecord(db(), newVersionRecord(n, { ...preview, ...facts }), 1)
  }
  const remove = (n: number) =>
    removeVersionRecord(db(), { did: alice, key: versionKeyOf(n) }, '9', 1)
  const found = () => findPreviews(db(), label)

  test('of a site that was never live, newest first', async () => {
    expect(await found()).toBeNull()
    await keep(1)
    await keep(2)
    await keep(3, { alias: null })
    const versions = [2, 1].map((n) => {
      return { alias: 'pr-12', label: `v--${n}`, expiresAt: 100, hasContent: true }
    })
    expect(await found()).toEqual({ site: blog, versions })
    expect(await findPreviews(db(), siteLabel(siteOf('other')))).toBeNull()
  })

  test('one that has expired stays, without content', async () => {
    await keep(1)
    await expireVersions(db(), 100)
    expect((await found())?.versions).toMatchObject([{ label: 'v--1', hasContent: false }])
  })

  test('the alias of one that was removed is remembered, also while another has its content', async () => {
    await keep(1, { label: 'v--same' })
    await keep(2, { label: 'v--same', alias: null })
    await remove(1)
    expect(await found()).toBeNull()
    const address = previewLabel('pr-12', label) ?? ''
    expect(await findVersionByLabel(db(), address, 1)).toEqual({ ...blog, isGone: true })
  })

  test('nobody sees those of an account that is hidden, and the edge hears of it', async () => {
    await keep(1)
    await setAccountStatus(db(), alice, 'deactivated', 2)
    expect(await found()).toBeNull()
    const changes = (await readChanges(db(), 0)).filter(({ createdAt }) => createdAt === 2)
    expect(changes.map((change) => change.kind === 'site' && change.label).toSorted()).toEqual([
      label,
      'v--1',
    ])
  })
})
