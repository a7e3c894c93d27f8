import { describe, expect, test } from 'bun:test'
import { createSafeFetch, type SafeFetch } from '#outbound/safe-fetch.ts'
import type { Did } from '#site/site-address.ts'
import { accountOf, alice, bob } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import { WebhookWorld } from '#tests/support/webhook-world.ts'
import {
  accountAllowance,
  deliveriesAtOnce,
  hostAllowance,
  ofHostAtOnce,
} from './run-deliveries.ts'

const world = WebhookWorld.forEachTest()

test('so many are in progress, and so many for a host and an account', async () => {
  const waiting: (() => void)[] = []
  const hanging: SafeFetch = () =>
    new Promise((resolve) => waiting.push(() => resolve(new Response())))
  const urls = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`)
  for (const host of urls) await world.add(host, { did: bob, host, url: `https://${host}/` })
  for (let n = 0; n < 6; n++) await world.publish(bob)
  await world.add('same', { host: 'one.example' })
  for (let n = 0; n < 6; n++) await world.publish()
  const deliveries = world.open(hanging)
  const started = async (count: number) => {
    while ((await deliveries.startDue()) === 0);
    expect(deliveries.inProgress).toBe(count)
    await eventually(async () => expect(waiting).toHaveLength(count))
  }
  await started(2 * ofHostAtOnce)
  expect(deliveriesAtOnce).toBeGreaterThan(2 * ofHostAtOnce)
  for (const end of waiting.splice(0)) end()
  await deliveries.ended()
  await started(4 + 2)
  world.stop.abort()
  for (const end of waiting) end()
  await deliveries.ended()
})

describe('the next place is for an account that had none of late, while others have hundreds due', () => {
  const flooding = [1, 2, 3, 4].map(accountOf)
  const backlog = async (hostOf: (n: number) => string): Promise<void> => {
    for (const [n, did] of flooding.entries()) {
      for (const id of [`a${n}`, `b${n}`])
        await world.add(id, { did, host: hostOf(n), url: `https://${id}.example/` })
      for (let event = 0; event < 20; event++) await world.publish(did)
    }
    world.now += 1
    await world.add('last', { host: hostOf(9), url: 'https://last.example/' })
    await world.publish()
  }

  test('whose servers answer slowly', async () => {
    await backlog((n) => `host-${n}.example`)
    const open: { readonly url: string; readonly end: () => void }[] = []
    const deliveries = world.open((url) => {
      const { promise, resolve } = Promise.withResolvers<Response>()
      open.push({ url: String(url), end: () => resolve(new Response()) })
      return promise
    })
    const fill = async (): Promise<void> => {
      while ((await deliveries.startDue()) === 0 || deliveries.inProgress < deliveriesAtOnce);
      await eventually(async () => expect(open).toHaveLength(deliveriesAtOnce))
    }
    await fill()
    const [first] = open.splice(0, 1)
    first?.end()
    await eventually(async () => expect(deliveries.inProgress).toBe(deliveriesAtOnce - 1))
    await fill()
    expect(open.at(-1)?.url).toBe('https://last.example/')
    world.stop.abort()
    for (const { end } of open) end()
    await deliveries.ended()
  })

  test('to the same host', async () => {
    const urls: string[] = []
    const deliveries = world.open(async (url) => {
      urls.push(String(url))
      return new Response()
    })
    await backlog(() => 'one.example')
    await world.pass(deliveries)
    expect(urls).toContain('https://last.example/')
    expect(urls.length).toBe(hostAllowance.count)
  })
})

test('an account has so many deliveries a minute, and others do not wait for it', async () => {
  const deliveries = world.open()
  await world.add()
  await world.add('of-bob', { did: bob })
  for (let n = 0; n < accountAllowance.count + 5; n++) {
    await world.publish()
    world.now += 1
    await world.pass(deliveries)
  }
  expect(world.received).toHaveLength(accountAllowance.count)
  await world.publish(bob)
  await world.pass(deliveries)
  expect(world.received.at(-1)?.path).toBe('/of-bob')
  world.now += accountAllowance.windowMs
  await world.pass(deliveries)
  expect(world.received).toHaveLength(accountAllowance.count + 5 + 1)
  expect((await world.log()).every(({ attempts }) => attempts === 1)).toBe(true)
})

test('a receiver does not wait for what others at its address get: it may be behind the same CDN', async () => {
  const others = Array.from({ length: 10 }, (_, n) => accountOf(n + 1))
  const add = (host: string, did: Did) => world.add(host, { did, host, url: `https://${host}/` })
  for (const [n, did] of others.entries()) {
    await add(`host-${n}.example`, did)
    for (let event = 0; event < 50; event++) await world.publish(did)
  }
  let connections = 0
  const fetch = createSafeFetch({
    resolve: async (host) => [host === 'apart.example' ? '93.184.216.35' : '93.184.216.34'],
    connect: async () => {
      connections += 1
      return new Response()
    },
  })
  const deliveries = world.open(fetch)
  await world.pass(deliveries)
  for (const host of ['same.example', 'apart.example']) await add(host, alice)
  for (let event = 0; event < accountAllowance.count / 2; event++) await world.publish(alice)
  await world.pass(deliveries)
  expect(connections).toBe(10 * 50 + accountAllowance.count)
})
