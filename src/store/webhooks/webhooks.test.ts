import { expect, test } from 'bun:test'
import { onEachStore } from '#tests/support/database/databases.ts'
import { alice, bob, nameOf, newWebhook } from '#tests/support/database/sample-rows.ts'
import { appendWebhookEvent, deliveriesMax, pendingDeliveriesMax } from './append-event.ts'
import {
  deleteDeliveriesBefore,
  listDeliveries,
  nextDeliveryAt,
  postponeDelivery,
  recordAttempt,
  requestDelivery,
  takeDueDeliveries,
} from './deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  findWebhook,
  listWebhooks,
  replaceSecret,
} from './webhooks.ts'

onEachStore('store/webhooks', (db) => {
  const create = (facts: Parameters<typeof newWebhook>[0] = {}) =>
    createWebhook(db(), newWebhook(facts), { webhooksMax: 3, now: 1 })
  const append = (site = 'blog', now = 1, did = alice) =>
    appendWebhookEvent(db(), 'site.published', { did, site: nameOf(site) }, now)
  const take = (now = 1, limit = 9, busy: Partial<Busy> = {}) =>
    takeDueDeliveries(db(), { now, leaseMs: 100, limit, busy: { dids: [], hosts: [], ...busy } })
  type Busy = Parameters<typeof takeDueDeliveries>[1]['busy']
  const list = (id = 'hook') => listDeliveries(db(), id, { limit: 500, before: null })
  const key = { did: alice, id: 'hook' }
  const ok = { status: 204, failure: null, durationMs: 5, retryAt: null } as const
  const down = { status: 500, failure: 'status', durationMs: 5 } as const
  /** One attempt at the only delivery, at that time. */
  const attempt = async (end: Parameters<typeof recordAttempt>[2], now: number) => {
    const [taken] = await take(now)
    if (taken === undefined) throw new Error('nothing is due')
    return await recordAttempt(db(), taken, end, { now, failingMsMax: 1000 })
  }

  test('an account has a limited number of them', async () => {
    for (const id of ['a', 'b', 'c']) expect(await create({ id })).toBe('created')
    expect(await create({ id: 'd' })).toBe('too-many')
    expect(await create({ id: 'd', did: bob })).toBe('created')
  })

  test('one that is to be the only one with its URL for its sites is', async () => {
    const createOnly = (facts: Parameters<typeof newWebhook>[0] = {}) =>
      createWebhook(db(), newWebhook(facts), { webhooksMax: 3, now: 1, isOnly: true })
    expect(await createOnly({ id: 'a', disabledBy: 'owner' })).toBe('created')
    expect(await createOnly()).toBe('present')
    expect(await createOnly({ site: nameOf('blog') })).toBe('created')
    expect(await createOnly({ url: 'https://hooks.example/other' })).toBe('created')
    expect(await findWebhook(db(), { did: alice, id: 'a' })).toMatchObject({ disabledBy: 'owner' })
  })

  test('is found, changed, given a new secret and deleted by its account alone', async () => {
    await create({ id: 'hook' })
    await append()
    const ofBob = { did: bob, id: 'hook' }
    expect(await findWebhook(db(), ofBob)).toBeNull()
    expect(await changeWebhook(db(), ofBob, { isEnabled: false }, 2)).toBeNull()
    const times = { formerUntil: 9, now: 2 }
    expect(await replaceSecret(db(), ofBob, 'theirs', times)).toBe(false)
    expect(await deleteWebhook(db(), ofBob)).toBe(false)
    const [delivery] = await list()
    expect(await requestDelivery(db(), ofBob, delivery?.id ?? '', 2)).toBeNull()
    expect(await replaceSecret(db(), key, 'new', times)).toBe(true)
    expect(await findWebhook(db(), key)).toMatchObject({
      ...{ sealedSecret: 'new', sealedFormer: 'sealed', formerUntil: 9, disabledBy: null },
    })
    expect(await deleteWebhook(db(), key)).toBe(true)
    expect(await list()).toEqual([])
  })

  test('receives the events that it wants, of its site or of all', async () => {
    await create({ id: 'hook' })
    await create({ id: 'of-blog', site: nameOf('blog') })
    await create({ id: 'others', events: ['site.deleted'] })
    await append('blog')
    await append('shop')
    await append('blog', 1, bob)
    const told = await Promise.all(['hook', 'of-blog', 'others'].map(list))
    expect(told.map((rows) => rows.map(({ message }) => JSON.parse(message).site))).toEqual([
      ['shop', 'blog'],
      ['blog'],
      [],
    ])
  })

  test('a disabled one receives nothing, and what waited is given up', async () => {
    await create({ id: 'hook' })
    await append()
    expect(await changeWebhook(db(), key, { isEnabled: false }, 2)).toMatchObject({
      disabledBy: 'owner',
    })
    await append()
    expect(await list()).toMatchObject([{ state: 'given-up', failure: 'disabled' }])
    expect(await changeWebhook(db(), key, { isEnabled: true }, 3)).toMatchObject({
      disabledBy: null,
    })
    expect(await take(9)).toEqual([])
  })

  test('so many deliveries wait, and further events are counted', async () => {
    await create({ id: 'hook' })
    for (let n = 0; n <= pendingDeliveriesMax; n++) await append()
    expect(await list()).toHaveLength(pendingDeliveriesMax)
    expect(await listWebhooks(db(), alice)).toMatchObject([{ skipped: 1 }])
  })

  test('so many deliveries are kept, the oldest goes first', async () => {
    await create({ id: 'hook' })
    for (let n = 0; n < deliveriesMax; n++) {
      await append('blog', n)
      await attempt(ok, n)
    }
    await append('blog', 999)
    const kept = await list()
    expect([kept.length, kept[0]?.createdAt, kept.at(-1)?.createdAt]).toEqual([
      deliveriesMax,
      999,
      1,
    ])
    await deleteDeliveriesBefore(db(), 1000)
    expect(await list()).toMatchObject([{ createdAt: 999, state: 'pending' }])
  })

  test('a delivery is taken once, and again when its lease is over', async () => {
    await create({ id: 'hook' })
    await append()
    expect(await take(0)).toEqual([])
    expect(await take(1)).toMatchObject([{ attempts: 1, webhook: { id: 'hook' } }])
    expect(await take(100)).toEqual([])
    const [again] = await take(101)
    expect(again).toMatchObject({ attempts: 2 })
    await postponeDelivery(db(), again?.id ?? '', 300)
    expect([await nextDeliveryAt(db()), await take(299)]).toEqual([300, []])
    expect(await take(300)).toMatchObject([{ attempts: 2 }])
  })

  test('concurrent callers share them', async () => {
    await create({ id: 'hook' })
    for (let n = 0; n < 8; n++) await append()
    const taken = (await Promise.all([take(1, 4), take(1, 4), take(1, 4)])).flat()
    expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length)
  })

  test('busy accounts and hosts are passed over', async () => {
    await create({ id: 'hook' })
    await create({ id: 'other', did: bob, host: 'other.example' })
    await append()
    await append('blog', 2, bob)
    expect(await take(9, 9, { dids: [alice], hosts: ['other.example'] })).toEqual([])
    expect(await take(9, 9, { dids: [alice] })).toMatchObject([{ did: bob }])
    expect(await take(9, 9, { hosts: ['other.example'] })).toMatchObject([{ did: alice }])
  })

  test('a failed attempt is due later, and a delivery that is requested again has all attempts', async () => {
    await create({ id: 'hook' })
    await append()
    await attempt({ ...down, retryAt: 50 }, 1)
    expect(await take(49)).toEqual([])
    await attempt({ ...down, retryAt: null }, 50)
    const [given] = await list()
    expect(given).toMatchObject({ state: 'given-up', attempts: 2, status: 500, attemptedAt: 50 })
    expect(await findWebhook(db(), key)).toMatchObject({ failingSince: 1, disabledBy: null })
    await requestDelivery(db(), key, given?.id ?? '', 60)
    await attempt(ok, 60)
    expect(await list()).toMatchObject([{ state: 'delivered', attempts: 1, failure: null }])
    expect(await findWebhook(db(), key)).toMatchObject({ failingSince: null })
  })

  test('is disabled when one is given up and none was answered for long', async () => {
    await create({ id: 'hook' })
    await append()
    expect(await attempt({ ...down, retryAt: 1001 }, 1)).toBeNull()
    await append('blog', 1000)
    expect(await attempt({ ...down, retryAt: null }, 1000)).toBeNull()
    expect(await attempt({ ...down, retryAt: null }, 1001)).toBe('failing')
    expect(await findWebhook(db(), key)).toMatchObject({ disabledBy: 'failing' })
  })

  test('is disabled when its server says that it is gone', async () => {
    await create({ id: 'hook' })
    await append()
    expect(await attempt({ ...down, status: 410, retryAt: null }, 1)).toBe('gone')
  })
})
