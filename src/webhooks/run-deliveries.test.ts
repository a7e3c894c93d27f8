import { expect, test } from 'bun:test'
import { changeWebhook, findWebhook } from '#store/webhooks/webhooks.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { WebhookWorld } from '#tests/support/webhook-world.ts'
import {
  deliveryLeaseMs,
  deliveryRetryMsMax,
  failingMsMax,
  retryPausesMs,
} from './run-deliveries.ts'

const world = WebhookWorld.forEachTest()

test('a failed delivery is sent again, the same, until it is given up within a day', async () => {
  await world.add()
  await world.publish()
  world.answer = () => new Response('no', { status: 500 })
  const begun = world.now
  for (const pauseMs of retryPausesMs) {
    await world.pass()
    world.now += pauseMs - 1
    await world.pass()
    world.now += 1
  }
  await world.pass()
  expect(world.received.map(({ body }) => body)).toEqual(Array(8).fill(world.received[0]?.body))
  expect(new Set(world.received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
  expect(await world.log()).toMatchObject([{ state: 'given-up', attempts: 8, status: 500 }])
  expect(world.now - begun).toBeLessThan(24 * 60 * 60_000)
  expect(retryPausesMs.every((pauseMs) => pauseMs < deliveryRetryMsMax)).toBe(true)
})

test('a webhook that fails for days is disabled, and the log says so', async () => {
  await world.add()
  await world.publish()
  world.answer = () => new Response('no', { status: 500 })
  await world.pass()
  world.now += failingMsMax
  for (let attempts = 1; attempts < 8; attempts++) {
    await world.pass()
    world.now += deliveryRetryMsMax
  }
  const webhook = await findWebhook(world.db, { did: alice, id: 'hook' })
  expect(webhook).toMatchObject({ disabledBy: 'failing' })
  expect(world.logged.map(({ message }) => message)).toContain('webhook disabled')
})

test('what a process that died had taken is sent by the next one', async () => {
  await world.add()
  await world.publish()
  const dying = world.open(() => new Promise(() => undefined))
  await dying.startDue()
  world.now += deliveryLeaseMs - 1
  await world.pass()
  expect(world.received).toEqual([])
  world.now += 1
  await world.pass()
  expect(await world.log()).toMatchObject([{ state: 'delivered' }])
})

test('what is in progress when the service stops is due at once', async () => {
  await world.add()
  await world.publish()
  const stopped = world.open(async (_, init) => {
    world.stop.abort()
    throw init?.signal?.reason
  })
  await world.pass(stopped)
  world.stop = new AbortController()
  await world.pass()
  expect(await world.log()).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

test('what is disabled meanwhile stays given up', async () => {
  await world.add()
  await world.publish()
  world.answer = async () => {
    await changeWebhook(world.db, { did: alice, id: 'hook' }, { isEnabled: false }, world.now)
    return new Response()
  }
  await world.pass()
  expect(await world.log()).toMatchObject([{ state: 'given-up', failure: 'disabled' }])
})
