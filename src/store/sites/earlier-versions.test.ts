import { beforeEach, expect, test } from 'bun:test'
import { replacedVersionMs, versionsMax } from '#site/limits.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  newVersion,
  newVersionRecord,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { earlierVersions } from './earlier-versions.ts'
import { recordVersion } from './record-version.ts'
import {
  type NewVersionRecord,
  recordVersionRecord,
} from './version-records/record-version-record.ts'
import { awaitWithdrawal } from './withdrawals.ts'

onEachStore('store/sites/earlier-versions', (db) => {
  beforeEach(async () => void (await upsertAccount(db(), { did: alice }, 1)))
  const blog = siteOf('blog')
  /** The n-th state of the site goes live, and its owner keeps it unless another program wrote it. */
  async function publish(n: number, { isKept = true } = {}): Promise<void> {
    const facts = { recordCid: `manifest ${n}`, rev: versionKeyOf(n), snapshot: `state ${n}` }
    await recordVersion(db(), newVersion(facts), n)
    if (isKept) await keep(n)
  }
  const keep = (n: number, facts: Partial<NewVersionRecord> = {}) =>
    recordVersionRecord(db(), newVersionRecord(n, facts), n)
  const earlier = async (live: number, now = 10) => {
    const site = { ...blog, recordCid: `manifest ${live}` }
    const found = await Array.fromAsync(earlierVersions(db(), site, now))
    return found.map(({ snapshot, until }) => `${snapshot} ${until}`)
  }

  test('kept versions stay as long as they are kept, others for a day, newest first', async () => {
    await publish(1)
    await publish(2, { isKept: false })
    await publish(3)
    await publish(4)
    const two = `state 2 ${3 + replacedVersionMs}`
    expect(await earlier(4)).toEqual(['snapshot 3 Infinity', two, 'snapshot 1 Infinity'])
    expect(await earlier(4, 3 + replacedVersionMs)).toEqual([
      'snapshot 3 Infinity',
      'snapshot 1 Infinity',
    ])
  })

  test('previews, refused versions and those of other sites are none', async () => {
    await keep(1, { manifest: null })
    await keep(2, { label: null, snapshot: null })
    await keep(3, { site: siteOf('shop').name })
    expect(await earlier(4)).toEqual([])
  })

  test('the live version is none, and when an earlier one is live again the later ones are', async () => {
    for (const n of [1, 2, 3]) await publish(n)
    expect(await earlier(1)).toEqual(['snapshot 3 Infinity', 'snapshot 2 Infinity'])
  })

  test('at most as many as are kept', async () => {
    for (let n = 1; n <= versionsMax + 2; n++) await keep(n)
    expect(await earlier(99)).toHaveLength(versionsMax)
  })

  test('a version that withdraws earlier ones hides the assets of kept ones too, but not their addresses', async () => {
    await publish(1)
    await publish(2)
    await awaitWithdrawal(db(), blog, 'manifest 3')
    await publish(3)
    expect(await earlier(3)).toEqual([])
    await keep(1, { rev: '9', message: 'edited' })
    await publish(4)
    expect(await earlier(4)).toEqual(['snapshot 3 Infinity'])
  })

  test('records that are read only after the withdrawal are withdrawn as well, later ones are not', async () => {
    await publish(1, { isKept: false })
    await publish(2, { isKept: false })
    await awaitWithdrawal(db(), blog, 'manifest 4')
    await publish(4, { isKept: false })
    // Of the third nothing else was ever read.
    for (const n of [1, 2, 3, 4]) await keep(n)
    expect(await earlier(4)).toEqual([])
    await publish(5)
    expect(await earlier(5)).toEqual(['snapshot 4 Infinity'])
  })
})
