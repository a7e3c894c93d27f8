import { describe, expect, test } from 'bun:test'
import { deliveriesOfPage, formerSecretHours, hourMs, webhooksMax } from '#api/contract/limits.ts'
import { sentences } from '#api/contract/messages.ts'
import { webhookEvents } from '#site/webhook-event.ts'
import { appendWebhookEvent, pendingDeliveriesMax } from '#store/webhooks/append-event.ts'
import { takeDueDeliveries } from '#store/webhooks/deliveries.ts'
import { findWebhook } from '#store/webhooks/webhooks.ts'
import { testApi } from '#tests/support/api.ts'
import { tablesNaming } from '#tests/support/database/named-in.ts'
import { alice, bob, nameOf } from '#tests/support/database/sample-rows.ts'

const api = testApi()

async function ask(method: string, to: string, json?: unknown, did = alice) {
  const headers = { cookie: await api().signedIn(did) }
  const body = json === undefined ? null : JSON.stringify(json)
  const response = await api().request(to, { method, headers, body })
  return { status: response.status, body: await response.json() }
}

const url = 'https://hooks.example/a'
const add = (facts: object = {}) =>
  ask('POST', '/api/webhooks', { url, events: ['site.published'], ...facts })
const added = async (facts: object = {}) => {
  const { body } = await add(facts)
  return { ...body.webhook, path: `/api/webhooks/${body.webhook.id}`, secret: body.secret }
}
const publish = () =>
  appendWebhookEvent(api().db, 'site.published', { did: alice, site: nameOf('blog') }, api().now)

describe('/api/webhooks', () => {
  test('its secret is shown once, and stored sealed', async () => {
    const { path: _, secret, ...webhook } = await added({ rkey: 'blog' })
    expect(secret).toMatch(/^whsec_/)
    expect(webhook).toMatchObject({ url, rkey: 'blog', events: ['site.published'], enabled: true })
    expect((await ask('GET', '/api/webhooks')).body).toEqual({ webhooks: [webhook] })
    expect((await ask('GET', '/api/webhooks', undefined, bob)).body).toEqual({ webhooks: [] })
    expect(await tablesNaming(api().db, secret)).toEqual([])
    const events = api().logged.filter(({ message }) => message === 'webhook added')
    expect(events).toMatchObject([{ fields: { did: alice, host: 'hooks.example' } }])
    expect(JSON.stringify(api().logged)).not.toContain(secret)
  })

  test('what is no webhook is refused', async () => {
    for (const [facts, error] of [
      [{ url: 'hooks' }, sentences.webhookNoUrl],
      [{ url: 'http://hooks.example' }, sentences.webhookNoHttps],
      [{ url: 'https://a:b@hooks.example' }, sentences.webhookCredentials],
      [{ url: 'https://hooks.example:8443' }, sentences.webhookPort],
      [{ url: 'https://10.0.0.1' }, sentences.webhookPrivate],
      [{ events: [] }, expect.stringMatching(/^events: /)],
      [{ events: ['webhook.test'] }, expect.stringMatching(/^events/)],
      [{ rkey: 7 }, expect.stringMatching(/^rkey: /)],
    ] as const) {
      expect([facts, await add(facts)]).toEqual([facts, { status: 400, body: { error } }])
    }
  })

  test('an account has so many', async () => {
    for (let n = 0; n < webhooksMax; n++) expect((await add()).status).toBe(200)
    expect(await add()).toEqual({ status: 409, body: { error: sentences.webhooksMax } })
  })

  test('is changed in what is said', async () => {
    const { path } = await added()
    const other = 'https://other.example/'
    const changed = await ask('PATCH', path, { url: other, events: [...webhookEvents] })
    expect(changed.body).toMatchObject({ url: other, events: webhookEvents, enabled: true })
    const disabled = await ask('PATCH', path, { enabled: false })
    expect(disabled.body).toMatchObject({ url: other, enabled: false, disabledBy: 'owner' })
    expect((await ask('PATCH', path, { url: 'http://x' })).status).toBe(400)
    expect((await ask('PATCH', path, {})).body).toEqual(disabled.body)
    expect((await ask('PATCH', path, { enabled: true })).body).toMatchObject({ enabled: true })
  })

  test('the secret before works for a day after it was replaced', async () => {
    const { id, path, secret } = await added()
    const replaced = await ask('POST', `${path}/secret`)
    expect([replaced.status, replaced.body.secret === secret]).toEqual([200, false])
    const until = async () => (await ask('GET', '/api/webhooks')).body.webhooks[0].formerSecretUntil
    expect(await until()).toBe(new Date(api().now + formerSecretHours * hourMs).toISOString())
    expect(await findWebhook(api().db, { did: alice, id })).toMatchObject({
      sealedFormer: expect.any(String),
    })
    api().now += formerSecretHours * hourMs
    expect(await until()).toBeNull()
  })

  test('its deliveries are listed page by page, and can be sent again', async () => {
    const { path } = await added()
    for (let n = 0; n < deliveriesOfPage; n++) await publish()
    const tested = await ask('POST', `${path}/test`)
    const row = {
      ...{ id: expect.stringMatching(/^msg_/), event: 'webhook.test', rkey: null },
      ...{ state: 'pending', attempts: 0, createdAt: new Date(api().now).toISOString() },
      ...{ attemptedAt: null, nextAttemptAt: new Date(api().now).toISOString() },
      ...{ status: null, failure: null, durationMs: null },
    }
    expect(tested).toEqual({ status: 200, body: row })
    const { body } = await ask('GET', `${path}/deliveries`)
    expect([body.deliveries.length, body.deliveries[0]]).toEqual([deliveriesOfPage, tested.body])
    const next = await ask('GET', `${path}/deliveries?cursor=${body.cursor}`)
    expect(next.body).toMatchObject({ deliveries: [{ rkey: 'blog' }], cursor: null })
    expect((await ask('GET', `${path}/deliveries?cursor=x`)).status).toBe(400)
    const busy = { dids: [], hosts: [] }
    await takeDueDeliveries(api().db, { now: api().now, leaseMs: 1, limit: 99, busy })
    const again = await ask('POST', `${path}/deliveries/${tested.body.id}/redeliver`)
    expect(again.body).toEqual(tested.body)
  })

  test('too many tests wait', async () => {
    const { path } = await added()
    for (let n = 0; n < pendingDeliveriesMax; n++) await publish()
    const refused = { status: 409, body: { error: sentences.deliveriesMax } }
    expect(await ask('POST', `${path}/test`)).toEqual(refused)
  })

  test('is removed with its deliveries', async () => {
    const { path } = await added()
    await publish()
    expect((await ask('DELETE', path)).status).toBe(200)
    expect(await tablesNaming(api().db, 'site.published')).toEqual([])
    expect((await ask('DELETE', path)).status).toBe(404)
  })

  test('is exported with its account', async () => {
    await added()
    await publish()
    const { body } = await ask('GET', '/api/user/export')
    expect(body).toMatchObject({
      webhooks: [{ rkey: null, url, events: ['site.published'], disabledBy: null }],
      webhookDeliveries: [{ url, event: 'site.published', message: { site: 'blog' } }],
    })
  })

  test('another account’s is not there', async () => {
    const { path } = await added()
    const { body } = await ask('POST', `${path}/test`)
    for (const [method, to, json] of [
      ['PATCH', path, { enabled: false }],
      ['DELETE', path],
      ['POST', `${path}/secret`],
      ['POST', `${path}/test`],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/deliveries/${body.id}/redeliver`],
    ] as const) {
      const answer = await ask(method, to, json, bob)
      const notFound = { status: 404, body: { error: sentences.webhookNotFound } }
      expect([method, to, answer]).toEqual([method, to, notFound])
    }
  })
})
