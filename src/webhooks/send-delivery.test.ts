import { describe, expect, test } from 'bun:test'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { replaceSecret } from '#store/webhooks/webhooks.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import { labelUrl, WebhookWorld } from '#tests/support/webhook-world.ts'
import { Deliveries, retryPausesMs } from './run-deliveries.ts'
import { bodyOf } from './send-delivery.ts'
import { signatureFields } from './sign-delivery.ts'
import { webhookContext } from './webhook-secret.ts'

const world = WebhookWorld.forEachTest()

test('an event is sent once, signed, with the addresses of what it names', async () => {
  await world.add()
  await world.publish()
  await world.pass()
  await world.pass()
  const [{ body, headers, path } = { body: '', headers: new Headers(), path: '' }, ...more] =
    world.received
  expect([path, more]).toEqual(['/hook', []])
  expect(JSON.parse(body)).toEqual({
    type: 'site.published',
    timestamp: new Date(world.now).toISOString(),
    data: { did: alice, site: 'blog', fileCount: 2, url: 'https://s--x.sites.example/' },
  })
  const [delivery] = await world.log()
  const id = delivery?.id ?? ''
  const fields = signatureFields({ id, timestamp: world.now / 1000, body }, [world.secret])
  expect(headers.toJSON()).toMatchObject({
    ...fields,
    'content-type': 'application/json',
    'user-agent': 'Sitehost-Webhooks/1',
  })
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, status: 204, failure: null })
})

test('while a secret is replaced, the one before signs too', async () => {
  await world.add()
  const sealed = await world.seal.seal('whsec_bmV3', webhookContext('hook'))
  const times = { formerUntil: world.now + 10, now: world.now }
  await replaceSecret(world.db, { did: alice, id: 'hook' }, sealed, times)
  const signatures = async () => {
    await world.publish()
    await world.pass()
    return world.received.at(-1)?.headers.get('webhook-signature')?.split(' ').length
  }
  expect(await signatures()).toBe(2)
  world.now += 10
  expect(await signatures()).toBe(1)
})

describe('an attempt', () => {
  const facts: [what: string, answer: Response, expected: object][] = [
    ['is answered', new Response('thanks'), { state: 'delivered', failure: null }],
    ['fails', new Response('', { status: 404 }), { state: 'pending', failure: 'status' }],
    ['is final', new Response('', { status: 410 }), { state: 'given-up', failure: 'status' }],
    [
      'is redirected, which is not followed',
      Response.redirect('/elsewhere', 307),
      { state: 'pending', failure: 'redirect' },
    ],
    [
      'is answered with megabytes, of which nothing is read',
      new Response('a'.repeat(5_000_000)),
      { state: 'delivered', failure: null },
    ],
    [
      'is to be repeated later',
      new Response('', { status: 429, headers: { 'retry-after': '600' } }),
      { nextAttemptAt: 1_000_000_600_000 },
    ],
    [
      'is to be repeated much later',
      new Response('', { status: 503, headers: { 'retry-after': '86400' } }),
      { nextAttemptAt: 1_000_003_600_000 },
    ],
    [
      'is to be repeated at a time that is no number',
      new Response('', { status: 503, headers: { 'retry-after': 'soon' } }),
      { nextAttemptAt: 1_000_000_005_000 },
    ],
  ]
  test.each(facts)('%s', async (_, given, expected) => {
    await world.add()
    await world.publish()
    world.answer = () => given
    await world.pass()
    expect(world.received).toHaveLength(1)
    expect(await world.log()).toMatchObject([expected])
  })

  test('reaches nobody', async () => {
    await world.add('hook', { url: 'http://127.0.0.1:1/' })
    await world.publish()
    await world.pass()
    expect(await world.log()).toMatchObject([{ failure: 'unreachable', status: null }])
  })

  test('is for a secret that no key opens', async () => {
    await world.add('hook', { sealedSecret: 'of another key' })
    await world.publish()
    await world.pass()
    expect(world.received).toEqual([])
    expect(await world.log()).toMatchObject([{ state: 'given-up', failure: 'secret-lost' }])
  })
})

describe('without a connection, a delivery fails to', () => {
  const hostile: [url: string, addresses: string[]][] = [
    ['https://127.0.0.1/', []],
    ['https://2130706433/', []],
    ['https://[::1]/', []],
    ['https://[::ffff:10.0.0.1]/', []],
    ['https://169.254.169.254/latest/meta-data', []],
    ['https://localhost/', []],
    ['https://inside.example/', ['10.0.0.7']],
    ['https://both.example/', ['93.184.216.34', '127.0.0.1']],
    ['https://nowhere.example/', []],
    ['https://hooks.example:8443/', ['93.184.216.34']],
    ['https://user:secret@hooks.example/', ['93.184.216.34']],
    ['http://hooks.example/', ['93.184.216.34']],
  ]
  test.each(hostile)('%s at %j', async (url, addresses) => {
    let connections = 0
    const fetch = createSafeFetch({
      resolve: async () => addresses,
      connect: async () => {
        connections += 1
        return new Response()
      },
    })
    await world.add('hook', { url, host: 'hooks.example' })
    await world.publish()
    await world.pass(world.open(fetch))
    expect([connections, await world.log()]).toMatchObject([
      0,
      [{ state: 'pending', failure: 'forbidden', durationMs: null }],
    ])
  })

  test('a name that has another address at each attempt', async () => {
    const asked: string[] = []
    const answers = [['93.184.216.34'], ['10.0.0.7']]
    const fetch = createSafeFetch({
      resolve: async () => answers.shift() ?? [],
      connect: async (request) => {
        asked.push(new URL(request.url).hostname)
        return new Response('', { status: 500 })
      },
    })
    await world.add('hook', { url: 'https://rebinds.example/', host: 'rebinds.example' })
    await world.publish()
    const deliveries = world.open(fetch)
    await world.pass(deliveries)
    world.now += retryPausesMs[0]
    await world.pass(deliveries)
    expect(asked).toEqual(['93.184.216.34'])
    expect(await world.log()).toMatchObject([{ failure: 'forbidden', attempts: 2 }])
  })
})

test('an answer is waited for so long, and its body is not', async () => {
  await world.add()
  await world.publish()
  const { promise, resolve } = Promise.withResolvers<Response>()
  world.answer = () => promise
  const fetch = createSafeFetch({ allowPrivate: true })
  await world.pass(new Deliveries({ ...world.contextOf(fetch), answerMs: 20 }))
  expect(await world.log()).toMatchObject([{ failure: 'timeout', state: 'pending', status: null }])
  resolve(new Response())
  world.now += retryPausesMs[0]
  world.answer = () => new Response(endless() as unknown as BodyInit)
  await world.pass(new Deliveries({ ...world.contextOf(fetch), answerMs: 5_000 }))
  expect(await world.log()).toMatchObject([{ state: 'delivered', status: 200 }])
})

async function* endless() {
  for (;;) {
    yield 'a'
    await Bun.sleep(1)
  }
}

test('a message is sent as it was stored', () => {
  const message = JSON.stringify({ did: alice, site: null, labels: { url: null } })
  const body = bodyOf({ createdAt: 0, event: 'webhook.test', message }, labelUrl)
  expect(JSON.parse(body)).toEqual({
    type: 'webhook.test',
    timestamp: '1970-01-01T00:00:00.000Z',
    data: { did: alice, site: null, url: null },
  })
})
