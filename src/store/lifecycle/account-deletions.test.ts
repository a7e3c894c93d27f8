import { describe, expect, test } from 'bun:test'
import { siteLabel } from '#site/site-address.ts'
import { VisitorSketch } from '#site/visitor-sketch.ts'
import { setAccountStatus } from '#store/accounts/account-status.ts'
import { isKnownAccount, upsertAccount } from '#store/accounts/accounts.ts'
import {
  AccountDeletedHereError,
  forgetDeletion,
  isDeletedHere,
} from '#store/accounts/deleted-here.ts'
import { recordGrantFailure } from '#store/accounts/grant-failures.ts'
import { getSealed, putSealed } from '#store/accounts/sealed-rows.ts'
import { createBrowserSession, findBrowserSession } from '#store/accounts/sessions.ts'
import { rememberReceived } from '#store/blobs/received-blobs.ts'
import {
  findUploadedBlobs,
  rememberUploadedBlobs,
  type UploadedBlob,
} from '#store/blobs/uploaded-blobs.ts'
import { latestChangeSeq, readChanges } from '#store/database/changes.ts'
import { mapCustomDomain } from '#store/names/change-custom-domain.ts'
import { confirmCustomDomain } from '#store/names/confirm-custom-domain.ts'
import { addCustomDomain } from '#store/names/custom-domains.ts'
import { claimSubdomain, mapSubdomain } from '#store/names/subdomains.ts'
import { createDeploy } from '#store/queues/deploys.ts'
import { enqueueAccounts, enqueueSites } from '#store/queues/enqueue.ts'
import { finishJob } from '#store/queues/job-steps.ts'
import { createJob } from '#store/queues/jobs.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { removeSite } from '#store/sites/remove-site.ts'
import { findSite } from '#store/sites/sites.ts'
import { addTraffic } from '#store/sites/traffic.ts'
import { addVisitors } from '#store/sites/visitors.ts'
import { addVisits } from '#store/sites/visits.ts'
import { appendWebhookEvent } from '#store/webhooks/append-event.ts'
import { createWebhook } from '#store/webhooks/webhooks.ts'
import { subjectOf } from '#tests/support/database/change-subjects.ts'
import { onEachStore } from '#tests/support/database/databases.ts'
import { tablesNaming } from '#tests/support/database/named-in.ts'
import {
  alice,
  bob,
  nameOf,
  newDeploy,
  newJob,
  newVersion,
  newWebhook,
  siteOf,
} from '#tests/support/database/sample-rows.ts'
import { askedAt } from '#tests/support/database/work-rows.ts'
import {
  beginAccountDeletion,
  finishAccountDeletion,
  takeDueAccountDeletions,
} from './account-deletions.ts'
import { rememberVisited } from './visited-accounts.ts'

onEachStore('store/lifecycle/account-deletions', (db) => {
  const claim = (domain: string, did = alice) =>
    claimSubdomain(db(), { did, domain }, { subdomainsMax: 9, now: 1 })
  const add = (domain: string, did = alice) =>
    addCustomDomain(
      db(),
      { did, id: `${did} ${domain}`, domain },
      { pendingMax: 9, domainsMax: 9, now: 1 },
    )
  const received = { cid: 'cid', coding: 'gzip', base64: false } as const
  const blob: UploadedBlob = {
    decodedHash: 'hash',
    coding: 'identity',
    base64: false,
    blob: { $type: 'blob', ref: { $link: 'cid' }, mimeType: 'a/b', size: 1 },
  }
  const job = (did = alice) => createJob(db(), newJob({ did }), { queuedMax: 5, now: 1 })

  /** A row of the account in every table that may have one. */
  async function live(did = alice): Promise<void> {
    await rememberVisited(db(), did, 1)
    await upsertAccount(db(), { did, handle: 'somebody.test', pds: 'https://pds.test' }, 1)
    await createBrowserSession(db(), { idHash: `hash of ${did}`, did, expiresAt: 1000 }, 1)
    await putSealed(db(), { kind: 'oauth-session', key: did, sealed: 'tokens', expiresAt: null })
    const site = siteOf('blog', did)
    for (const rev of ['3kaaaaaaaaaa2', '3kaaaaaaaaaa3']) {
      const snapshot = `of ${did} at ${rev}`
      await recordVersion(db(), newVersion({ site, label: siteLabel(site), rev, snapshot }), 1)
    }
    const claimed = `${did.slice(-4)}.example`
    await claim(claimed, did)
    await mapSubdomain(db(), { did, domain: claimed }, nameOf('blog'), 1)
    const own = `${did.slice(-4)}.com`
    await add(own, did)
    const key = { did, id: `${did} ${own}` }
    await mapCustomDomain(db(), key, nameOf('blog'), 1)
    await confirmCustomDomain(
      db(),
      key,
      { values: [did], lookedUpAt: 1 },
      { change: {}, lossWarning: () => `${did} lost it`, now: 1 },
    )
    const finished = newJob({ did })
    await createJob(db(), finished, { queuedMax: 5, now: 1 })
    await finishJob(db(), finished.id, { status: 'failed', error: `of ${did}` }, 1)
    const needed = [{ sha256: `of ${did}`, bytes: 1 }]
    await createDeploy(db(), newDeploy({ did }), needed, { openMax: 9, now: 1 })
    await enqueueSites(askedAt(db(), 1), [site])
    await enqueueAccounts(askedAt(db(), 1), [did], { isUrgent: true })
    await rememberUploadedBlobs(db(), did, [blob], 1)
    await rememberReceived(db(), did, [received], 1)
    const traffic = { did, requests: 1, bytes: 1, refused: 0 }
    await addTraffic(db(), 1, [
      { ...traffic, site: '' },
      { ...traffic, site: nameOf('blog') },
    ])
    const visits = { did, kind: 'page', value: '/', count: 1 } as const
    await addVisits(db(), 1, [{ ...visits, site: nameOf('blog') }])
    await createWebhook(db(), newWebhook({ did }), { webhooksMax: 1, now: 1 })
    await appendWebhookEvent(db(), 'site.published', { did, site: nameOf('blog') }, 1)
    await addVisitors(db(), 1, [{ did, site: nameOf('blog'), sketch: new VisitorSketch() }])
    await recordGrantFailure(db(), did, { now: 1, countedEveryMs: 1, pauseMsMax: 1 })
  }
  const leave = async (did = alice) => {
    expect(await beginAccountDeletion(db(), did, 10)).toBe('begun')
    await finishAccountDeletion(db(), did, 11)
  }

  test('no row in any table names the account afterwards, and another account’s rows stay', async () => {
    await live(bob)
    await live()
    const naming = await tablesNaming(db(), alice)
    expect(naming).toEqual([
      ...['accounts', 'browser_sessions', 'custom_domains', 'deploy_files', 'deploys'],
      ...['grant_failures', 'jobs', 'received_blobs'],
      ...[
        'sealed_rows',
        'site_traffic',
        'site_visitors',
        'site_visits',
        'sites',
        'subdomains',
        'uploaded_blobs',
        'versions',
      ],
      ...['visited_accounts', 'webhook_deliveries', 'webhooks', 'work_items'],
    ])
    const ofBob = await tablesNaming(db(), bob)
    await leave()
    expect(await tablesNaming(db(), alice)).toEqual([])
    expect(await tablesNaming(db(), bob)).toEqual(ofBob)
  })

  test('until its tokens are revoked only they and the row of the deletion stay', async () => {
    await live()
    await beginAccountDeletion(db(), alice, 10)
    expect(await tablesNaming(db(), alice)).toEqual(['account_deletions', 'sealed_rows'])
    expect(await findBrowserSession(db(), `hash of ${alice}`, { now: 2, idleMs: 9 })).toBeNull()
  })

  test('its domains are free for others immediately', async () => {
    await live()
    await beginAccountDeletion(db(), alice, 10)
    expect(await add('aaaa.com', bob)).toMatchObject({ added: true })
  })

  test('a change is appended for every site and every name', async () => {
    await live()
    const since = await latestChangeSeq(db())
    await beginAccountDeletion(db(), alice, 10)
    const told = (await readChanges(db(), since)).map(subjectOf)
    expect(told.sort()).toEqual(['aaaa.com', 'aaaa.example', siteLabel(siteOf('blog'))])
  })

  test('an unfinished job prevents it, and nothing is deleted', async () => {
    await live()
    await job()
    expect(await beginAccountDeletion(db(), alice, 10)).toBe('publishing')
    expect(await findSite(db(), siteOf('blog'))).not.toBeNull()
    expect(await isDeletedHere(db(), alice)).toBe(false)
  })

  test('either a concurrent job or the deletion begins', async () => {
    for (let round = 0; round < 20; round++) {
      const [outcome, admitted] = await Promise.all([
        beginAccountDeletion(db(), alice, 10),
        job().then(
          () => true,
          (error) => !(error instanceof AccountDeletedHereError),
        ),
      ])
      expect([outcome, admitted]).toBeOneOf([
        ['begun', false],
        ['publishing', true],
      ])
      await forgetDeletion(db(), alice)
      await db().deleteFrom('jobs').execute()
    }
  })

  describe('work that was in progress', () => {
    test('is not stored', async () => {
      await live()
      await leave()
      const site = siteOf('blog')
      const late = newVersion({ site, rev: '3kaaaaaaaaaa9' })
      expect(await recordVersion(db(), late, 12)).toBe('not-known')
      expect(await removeSite(db(), site, '3kaaaaaaaaaa9', 12)).toBe(false)
      expect(await setAccountStatus(db(), alice, 'suspended', 12)).toBe(false)
      await rememberUploadedBlobs(db(), alice, [blob], 12)
      await rememberReceived(db(), alice, [received], 12)
      await rememberVisited(db(), alice, 12)
      expect(await findUploadedBlobs(db(), alice, ['hash'])).toEqual([])
      for (const ask of [() => job(), () => claim('new.example'), () => add('new.com')]) {
        await expect(ask()).rejects.toThrow(AccountDeletedHereError)
      }
      expect(await tablesNaming(db(), alice)).toEqual([])
    })

    test('is deleted with its tokens if it was quicker', async () => {
      await live()
      await beginAccountDeletion(db(), alice, 10)
      await enqueueSites(askedAt(db(), 10), [siteOf('blog')])
      await finishAccountDeletion(db(), alice, 11)
      expect(await tablesNaming(db(), alice)).toEqual([])
    })
  })

  describe('revoking its tokens', () => {
    const due = (now: number) => takeDueAccountDeletions(db(), { now, retryMs: 100, limit: 5 })

    test('is due once, and again when it was not finished', async () => {
      await beginAccountDeletion(db(), alice, 10)
      expect(await due(10)).toEqual([alice])
      expect(await due(109)).toEqual([])
      expect(await due(110)).toEqual([alice])
      await finishAccountDeletion(db(), alice, 111)
      expect(await due(1000)).toEqual([])
    })

    test('leaves the new sign-in of an account that is back', async () => {
      await live()
      await beginAccountDeletion(db(), alice, 10)
      await forgetDeletion(db(), alice)
      await live()
      await finishAccountDeletion(db(), alice, 11)
      expect(await isKnownAccount(db(), alice)).toBe(true)
      expect(await findSite(db(), siteOf('blog'))).not.toBeNull()
      const key = { kind: 'oauth-session', key: alice }
      expect(await getSealed(db(), key, 12)).toBe('tokens')
    })
  })
})
