import { expect, test } from 'bun:test'
import type { SiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { recordingLog } from '#tests/support/api.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf } from '#tests/support/database/sample-rows.ts'
import { bringBack, takeOffline } from './take-offline.ts'

const by = { actor: 'ann', reason: 'a court said so' }

onEachStore('what is brought back', (db) => {
  const cases: [string, SiteName | '', 'site' | 'account'][] = [
    ['a site', nameOf('blog'), 'site'],
    ['an account', '', 'account'],
  ]
  test.each(cases)('%s is read again: nothing was ingested meanwhile', async (_, site, kind) => {
    const context = { db: db(), wakeUps: new WakeUps(), log: recordingLog(), now: () => 7 }
    await upsertAccount(db(), { did: alice }, 1)
    for (const did of [alice, bob]) await takeOffline({ did, site }, 451, by, context)
    const queued = () => db().selectFrom('workItems').select(['kind', 'did', 'site']).execute()
    expect(await queued()).toEqual([])
    for (const did of [alice, bob])
      expect(await bringBack({ did, site }, by, context)).not.toBeNull()
    // Not of an account that is not known here.
    expect(await queued()).toEqual([{ kind, did: alice, site }])
  })
})
