import { expect, test } from 'bun:test'
import { previewLabel } from '#site/preview-label.ts'
import { siteLabel } from '#site/site-address.ts'
import { type WebhookEvent, webhookEvents } from '#site/webhook-event.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { changeCustomDomain } from '#store/names/change-custom-domain.ts'
import { confirmCustomDomain } from '#store/names/confirm-custom-domain.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { cancelJobUnlessWriting, finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { recordVersionRecord } from '#store/sites/version-records/record-version-record.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import {
  alice,
  bob,
  newJob,
  newVersion,
  newVersionRecord,
  newWebhook,
  siteOf,
  versionKeyOf,
} from '#tests/support/database/sample-rows.ts'
import { sentCharsMax, sentProblemsMax } from './append-event.ts'
import { listDeliveries } from './deliveries.ts'
import { createWebhook } from './webhooks.ts'

onEachStore('events that webhooks receive', (db) => {
  const blog = siteOf('blog')
  const start = async () => {
    for (const did of [alice, bob]) {
      await upsertAccount(db(), { did }, 1)
      const webhook = newWebhook({ id: did, did, events: webhookEvents })
      await createWebhook(db(), webhook, { webhooksMax: 1, now: 1 })
    }
  }
  /** Oldest first. */
  const told = async (did = alice): Promise<[WebhookEvent, object][]> => {
    const deliveries = await listDeliveries(db(), did, { limit: 99, before: null })
    return deliveries
      .toReversed()
      .map(({ event, message }) => [event as WebhookEvent, JSON.parse(message)])
  }
  const version = (n: number, facts: Partial<Parameters<typeof newVersion>[0]> = {}) =>
    recordVersion(db(), newVersion({ recordCid: `cid-${n}`, rev: `3kaaaaaaaaaa${n}`, ...facts }), n)

  test('a version that goes live, once, and that the site is gone', async () => {
    await start()
    await version(2, { problems: ['a rule'] })
    await version(2, { problems: ['a rule'] })
    await removeSite(db(), blog, '3kaaaaaaaaaa3', 3)
    await removeSite(db(), blog, '3kaaaaaaaaaa3', 4)
    const facts = { version: 'cid-2', rev: '3kaaaaaaaaaa2', fileCount: 2, bytes: 1000 }
    const subject = { did: alice, site: 'blog' }
    expect(await told()).toEqual([
      [
        'site.published',
        { ...subject, ...facts, problems: ['a rule'], labels: { url: 's--blog' } },
      ],
      ['site.deleted', { ...subject, rev: '3kaaaaaaaaaa3' }],
    ])
    expect(await told(bob)).toEqual([])
  })

  test('a version that is refused, once for each record, with some of its problems', async () => {
    await start()
    const problems = Array.from({ length: sentProblemsMax + 1 }, () => 'a'.repeat(999))
    for (const n of [2, 2, 3]) await version(n, { snapshot: null, problems })
    const events = await told()
    expect(events.map(([event]) => event)).toEqual(['site.refused', 'site.refused'])
    expect(events[0]?.[1]).toMatchObject({
      problems: Array(sentProblemsMax).fill('a'.repeat(sentCharsMax)),
    })
  })

  test('a preview, once, and no version that was live', async () => {
    await start()
    const preview = newVersionRecord(1, { manifest: null, alias: 'pr-12', expiresAt: 9 })
    await recordVersionRecord(db(), preview, 1)
    await recordVersionRecord(db(), { ...preview, rev: '2', pinned: true }, 2)
    await recordVersionRecord(db(), newVersionRecord(2), 2)
    const refused = newVersionRecord(3, { manifest: null, label: null, snapshot: null })
    await recordVersionRecord(db(), refused, 3)
    const labels = { url: 'v--1', previewUrl: previewLabel('pr-12', siteLabel(blog)) }
    expect(await told()).toEqual([
      [
        'preview.made',
        {
          ...{ did: alice, site: 'blog', labels, key: versionKeyOf(1), version: 'cid 1' },
          ...{ fileCount: 2, bytes: 1000, alias: 'pr-12', message: null, expiresAt: 9 },
        },
      ],
    ])
  })

  test('a publish that fails, once, but not one that is cancelled', async () => {
    await start()
    const [failing, cancelled] = [newJob(), newJob()]
    for (const job of [failing, cancelled]) await createJob(db(), job, { queuedMax: 9, now: 1 })
    await cancelJobUnlessWriting(db(), cancelled, 'Cancelled.', 2)
    for (const { id } of [failing, cancelled]) {
      for (const now of [3, 4]) await finishJob(db(), id, { status: 'failed', error: 'No.' }, now)
    }
    const failed = { did: alice, site: 'blog', job: failing.id, error: 'No.' }
    expect(await told()).toEqual([['publish.failed', failed]])
  })

  test('a custom domain that fails its check, is verified, and is lost to another account', async () => {
    await start()
    const domain = 'blog.example'
    const limits = { pendingMax: 9, domainsMax: 9, now: 1 }
    for (const did of [alice, bob]) await addCustomDomain(db(), { did, id: did, domain }, limits)
    const confirm = (did: typeof alice, now: number) =>
      confirmCustomDomain(
        db(),
        { did, id: did },
        { values: [did], lookedUpAt: now },
        { change: { ownershipWarning: null }, lossWarning: () => 'Lost.', now },
      )
    const key = { did: alice, id: alice }
    for (const now of [2, 3]) {
      await changeCustomDomain(db(), key, () => ({ ownershipWarning: 'No TXT record.' }), now)
    }
    for (const now of [4, 5]) await confirm(alice, now)
    await confirm(bob, 6)
    await changeCustomDomain(
      db(),
      { did: bob, id: bob },
      () => ({ verified: false, ownershipWarning: 'Gone.' }),
      7,
    )
    const subject = { site: null, domain }
    expect(await told()).toEqual([
      ['domain.failed', { did: alice, ...subject, warning: 'No TXT record.' }],
      ['domain.verified', { did: alice, ...subject, warning: null }],
      ['domain.lost', { did: alice, ...subject, warning: 'Lost.' }],
    ])
    expect(await told(bob)).toEqual([
      ['domain.verified', { did: bob, ...subject, warning: null }],
      ['domain.lost', { did: bob, ...subject, warning: 'Gone.' }],
    ])
  })
})
