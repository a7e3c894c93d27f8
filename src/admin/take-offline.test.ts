import { expect, test } from 'bun:test'
import type { SiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import type { WorkItem } from '#store/queues/work-items.ts'
import { recordVersionRecord } from '#store/sites/record-version-record.ts'
import { recordingLog } from '#tests/support/api.ts'
import { onEachStore } from '#tests/support/databases.ts'
import { alice, bob, nameOf, newVersionRecord, versionKeyOf } from '#tests/support/sample-rows.ts'
import { bringBack, takeOffline } from './take-offline.ts'

const by = { actor: 'ann', reason: 'a court said so' }

await onEachStore('what is brought back', (db) => {
  type Item = Pick<WorkItem, 'kind' | 'site'>
  const account: Item = { kind: 'account', site: '' }
  const version: Item = { kind: 'version', site: versionKeyOf(1) }
  // The account too: version records that came meanwhile are not known.
  const cases: [string, SiteName | '', Item[]][] = [
    ['a site', nameOf('blog'), [account, { kind: 'site', site: nameOf('blog') }, version]],
    ['an account', '', [account]],
  ]
  test.each(cases)('%s is read again: nothing was ingested meanwhile', async (_, site, items) => {
    const context = { db: db(), wakeUps: new WakeUps(), log: recordingLog(), now: () => 7 }
    await upsertAccount(db(), { did: alice }, 1)
    await recordVersionRecord(db(), newVersionRecord(1), 1)
    for (const did of [alice, bob]) await takeOffline({ did, site }, 451, by, context)
    const queued = () =>
      db().selectFrom('workItems').select(['kind', 'did', 'site']).orderBy('kind').execute()
    expect(await queued()).toEqual([])
    for (const did of [alice, bob])
      expect(await bringBack({ did, site }, by, context)).not.toBeNull()
    // Not of an account that is not known here.
    expect(await queued()).toEqual(items.map((item) => ({ did: alice, ...item })))
  })
})
