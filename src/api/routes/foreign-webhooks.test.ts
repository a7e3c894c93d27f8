import { describe, expect, test } from 'bun:test'
import { foreignWebhooksMax, webhooksMax } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { foreignNamespaces } from '#site/namespace.ts'
import { siteLabel } from '#site/site-address.ts'
import type { SiteName } from '#site/site-name.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import { recordVersion } from '#store/sites/record-version.ts'
import { findWebhook } from '#store/webhooks/webhooks.ts'
import { testApi } from '#tests/support/api.ts'
import { tablesNaming } from '#tests/support/database/named-in.ts'
import { alice, bob, newVersion } from '#tests/support/database/sample-rows.ts'
import { keyOfSecret, webhookSecretOf } from '#webhooks/webhook-secret.ts'

const api = testApi({ alsoServe: foreignNamespaces })

async function ask(method: string, to: string, json?: unknown, did = alice) {
  const headers = { cookie: await api().signedIn(did) }
  const body = json === undefined ? null : JSON.stringify(json)
  const response = await api().request(to, { method, headers, body })
  return { status: response.status, body: await response.json() }
}

const path = '/api/user/foreign-webhooks'
const list = () => ask('GET', path)
const bring = (key: string, did = alice) => ask('POST', `${path}/bring-over`, { key }, did)
const url = 'https://hooks.example/a'
const put = (key: string, record: unknown) =>
  api().network.records.set(`place.wisp.v2.wh/${key}`, record)
const record = (facts: object = {}) => ({
  $type: 'place.wisp.v2.wh',
  scope: { aturi: `at://${alice}/place.wisp.fs` },
  url,
  createdAt: '2026-01-02T03:04:05.678Z',
  ...facts,
})
const recordSite = async (name: string) => {
  await upsertAccount(api().db, { did: alice }, 1)
  const site = { did: alice, name: name as SiteName }
  return await recordVersion(api().db, newVersion({ site, label: siteLabel(site) }), 1)
}
const scope = (to: string) => ({ scope: { aturi: `at://${alice}${to}` } })

describe('webhooks of another network', () => {
  test('are listed as ours would be', async () => {
    put('all', record(scope('')))
    put('off', record({ ...scope('/place.wisp.fs/blog'), enabled: false, events: ['delete'] }))
    const row = { network: 'place.wisp', url, webhook: null, problem: null }
    expect(await list()).toEqual({
      status: 200,
      body: {
        webhooks: [
          {
            ...{ ...row, key: 'all', scope: `at://${alice}`, enabled: true, rkey: null },
            ...{ events: ['site.published', 'site.deleted'], notes: ['other-records'] },
          },
          {
            ...{ ...row, key: 'off', scope: `at://${alice}/place.wisp.fs/blog`, enabled: false },
            ...{ rkey: 'blog', events: ['site.deleted'], notes: ['no-site'] },
          },
        ],
        more: false,
      },
    })
  })

  test('are listed with why they cannot be brought over, which is refused', async () => {
    for (const [key, facts, problem, error] of [
      ['a', { events: 'all' }, 'unreadable', sentences.foreignWebhookUnreadable],
      [
        'b',
        { scope: { aturi: `at://${bob}` } },
        'other-account',
        sentences.foreignWebhookOtherAccount,
      ],
      ['c', scope('/app.bsky.*'), 'not-about-sites', sentences.foreignWebhookNotAboutSites],
      ['d', { url: 'http://hooks.example' }, 'unusable-url', sentences.webhookNoHttps],
      ['e', { url: 'https://10.0.0.1' }, 'unusable-url', sentences.webhookPrivate],
      ['f', { url: 'https://[::ffff:127.0.0.1]/' }, 'unusable-url', sentences.webhookPrivate],
      ['g', { url: 'https://a:b@hooks.example' }, 'unusable-url', sentences.webhookCredentials],
      ['h', { url: 'https://hooks.example:22' }, 'unusable-url', sentences.webhookPort],
      ['i', { url: 'javascript:alert(1)' }, 'unusable-url', sentences.webhookNoUrl],
    ] as const) {
      put(key, record(facts))
      const { body } = await list()
      expect([key, body.webhooks.at(-1)]).toMatchObject([key, { key, problem, events: [] }])
      expect([key, await bring(key)]).toEqual([key, { status: 400, body: { error } }])
    }
    expect((await ask('GET', '/api/webhooks')).body).toEqual({ webhooks: [] })
  })

  test('of values that are no records, and more than are listed, end in a list', async () => {
    for (let n = 0; n <= foreignWebhooksMax; n++) put(`k${n}`, n === 0 ? { url: 7 } : record())
    const { body } = await list()
    expect([body.webhooks.length, body.more]).toEqual([foreignWebhooksMax, true])
    expect(body.webhooks[0]).toMatchObject({ key: 'k0', url: null, problem: 'unreadable' })
  })

  test('are for the site to which an address with the name leads', async () => {
    put('one', record(scope('/place.wisp.fs/blog')))
    const siteNow = async () => {
      const [{ notes, rkey }] = (await list()).body.webhooks
      return [rkey, notes]
    }
    expect(await siteNow()).toEqual(['blog', ['no-site']])
    await recordSite('place.wisp.fs/blog')
    expect(await siteNow()).toEqual(['place.wisp.fs/blog', []])
    await recordSite('blog')
    expect(await siteNow()).toEqual(['blog', []])
  })

  test('that the server does not send are told so', async () => {
    api().network.isDown = true
    expect(await list()).toEqual({ status: 502, body: { error: sentences.serverFault } })
    expect((await bring('one')).status).toBe(502)
  })
})

describe('bringing one over', () => {
  test('adds a webhook with its facts and a new secret, once', async () => {
    put('one', record({ enabled: false, events: ['update'], secretId: 'mine' }))
    const { body, status } = await bring('one')
    expect(status).toBe(200)
    expect(body).toMatchObject({
      secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
      webhook: { url, rkey: null, events: ['site.published'], enabled: false, disabledBy: 'owner' },
      notes: ['created-or-updated', 'secret-elsewhere'],
    })
    expect((await ask('GET', '/api/webhooks')).body).toEqual({ webhooks: [body.webhook] })
    expect((await list()).body.webhooks).toMatchObject([{ webhook: body.webhook.id }])
    const error = sentences.foreignWebhookPresent
    expect(await bring('one')).toEqual({ status: 409, body: { error } })
  })

  test('with its secret signs with that; it is stored sealed', async () => {
    put('one', record({ secret: 'open sesame, öffne dich' }))
    const { body } = await bring('one')
    expect(keyOfSecret(body.secret).toString()).toBe('open sesame, öffne dich')
    expect(body.notes).toEqual(['public-secret'])
    const stored = await findWebhook(api().db, { did: alice, id: body.webhook.id })
    expect(stored?.sealedSecret).not.toContain('sesame')
    expect(await tablesNaming(api().db, body.secret)).toEqual([])
    expect(JSON.stringify(api().logged)).not.toContain('sesame')
  })

  test('of what is not there, of nobody’s and of a network that is not served finds none', async () => {
    const none = { status: 404, body: { error: sentences.foreignWebhookNotFound } }
    for (const key of ['one', '..', 'a/b', '']) expect(await bring(key)).toEqual(none)
  })

  test('beyond the limit of webhooks is refused', async () => {
    for (let n = 0; n <= webhooksMax; n++) put(`k${n}`, record({ url: `${url}${n}` }))
    for (let n = 0; n < webhooksMax; n++) expect((await bring(`k${n}`)).status).toBe(200)
    const error = sentences.webhooksMax
    expect(await bring(`k${webhooksMax}`)).toEqual({ status: 409, body: { error } })
  })
})

test('a secret in the form of ours is used as it is', () => {
  const ours = webhookSecretOf('x'.repeat(32))
  expect(webhookSecretOf(ours)).toBe(ours)
  for (const other of ['whsec_', 'whsec_short', `whsec_${'A'.repeat(88)}`]) {
    expect(keyOfSecret(webhookSecretOf(other)).toString()).toBe(other)
  }
})
