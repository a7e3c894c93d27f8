import { expect, test } from 'bun:test'
import type { SiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { listDeliveries } from '#store/webhooks/deliveries.ts'
import { createWebhook } from '#store/webhooks/webhooks.ts'
import { recordingLog } from '#tests/support/api.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newWebhook } from '#tests/support/database/sample-rows.ts'
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

onEachStore('what is taken offline', (db) => {
  test('is an event for webhooks of its owner', async () => {
    const context = { db: db(), wakeUps: new WakeUps(), log: recordingLog(), now: () => 7 }
    const events = ['site.taken_down'] as const
    await createWebhook(db(), newWebhook({ id: 'all', events }), { webhooksMax: 9, now: 1 })
    const ofShop = newWebhook({ id: 'of-shop', events, site: nameOf('shop') })
    await createWebhook(db(), ofShop, { webhooksMax: 9, now: 1 })
    for (const site of [nameOf('blog'), ''] as const) {
      await takeOffline({ did: alice, site }, 451, by, context)
    }
    const told = async (id: string) =>
      (await listDeliveries(db(), id, { limit: 9, before: null })).map(({ message }) =>
        JSON.parse(message),
      )
    expect(await told('all')).toEqual([
      { did: alice, site: null, status: 451 },
      { did: alice, site: 'blog', status: 451 },
    ])
    // Its account as a whole is no one site.
    expect(await told('of-shop')).toEqual([])
  })
})
