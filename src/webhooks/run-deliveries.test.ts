import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Seal } from '#atproto/oauth/seal.ts'
import { createSafeFetch, type SafeFetch } from '#outbound/safe-fetch.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { appendWebhookEvent } from '#store/webhooks/append-event.ts'
import { listDeliveries } from '#store/webhooks/deliveries.ts'
import {
  changeWebhook,
  createWebhook,
  findWebhook,
  replaceSecret,
} from '#store/webhooks/webhooks.ts'
import { type LoggedLine, recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { accountOf, alice, bob, nameOf, newWebhook } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'
import {
  accountAllowance,
  Deliveries,
  deliveriesAtOnce,
  deliveryLeaseMs,
  deliveryRetryMsMax,
  failingMsMax,
  hostAllowance,
  ofHostAtOnce,
  retryPausesMs,
} from './run-deliveries.ts'
import { bodyOf } from './send-delivery.ts'
import { signatureFields } from './sign-delivery.ts'
import { openWebhookSeal, webhookContext } from './webhook-secret.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const labelUrl = (label: string): string => `https://${label}.sites.example/`

interface Received {
  readonly path: string
  readonly headers: Headers
  readonly body: string
}

let receiver: Bun.Server<undefined>
let received: Received[]
let answer: (request: Received) => Response | Promise<Response>
beforeAll(() => {
  receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: async (request) => {
      const { headers, url } = request
      const got = { path: new URL(url).pathname, headers, body: await request.text() }
      received.push(got)
      return await answer(got)
    },
  })
})
afterAll(() => receiver.stop(true))

let database: Database
let seal: Seal
let now: number
let stop: AbortController
let logged: LoggedLine[]
beforeEach(async () => {
  database = await memoryDatabase()
  seal = await openWebhookSeal(['a secret key of this service, it is long'])
  now = 1_000_000_000_000
  stop = new AbortController()
  received = []
  logged = []
  answer = () => new Response(null, { status: 204 })
})
afterEach(() => database[Symbol.asyncDispose]())

const contextOf = (fetch: SafeFetch) => ({
  ...{ db: database.db, seal, labelUrl, fetch, signal: stop.signal },
  ...{ log: recordingLog(logged), wakeUps: new WakeUps(), now: () => now, elapsed: () => now },
  random: () => 0,
})
const open = (fetch = createSafeFetch({ allowPrivate: true })) => new Deliveries(contextOf(fetch))
const add = async (id = 'hook', facts: Parameters<typeof newWebhook>[0] = {}): Promise<void> => {
  const url = `http://127.0.0.1:${receiver.port}/${id}`
  const sealedSecret = await seal.seal(secret, webhookContext(id))
  const webhook = newWebhook({ id, url, host: new URL(url).host, sealedSecret, ...facts })
  await createWebhook(database.db, webhook, { webhooksMax: 99, now })
}
const publish = (did = alice) =>
  appendWebhookEvent(
    database.db,
    'site.published',
    { did, site: nameOf('blog'), labels: { url: 's--x' }, fileCount: 2 },
    now,
  )
const log = async (id = 'hook') =>
  await listDeliveries(database.db, id, { limit: 500, before: null })
/** Everything that is due, until nothing is. */
async function pass(deliveries = open()): Promise<void> {
  while ((await deliveries.startDue()) === 0 || deliveries.inProgress > 0) {
    await deliveries.ended()
  }
}

test('an event is sent once, signed, with the addresses of what it names', async () => {
  await add()
  await publish()
  await pass()
  await pass()
  const [{ body, headers, path } = { body: '', headers: new Headers(), path: '' }, ...more] =
    received
  expect([path, more]).toEqual(['/hook', []])
  expect(JSON.parse(body)).toEqual({
    type: 'site.published',
    timestamp: new Date(now).toISOString(),
    data: { did: alice, site: 'blog', fileCount: 2, url: 'https://s--x.sites.example/' },
  })
  const [delivery] = await log()
  const id = delivery?.id ?? ''
  const fields = signatureFields({ id, timestamp: now / 1000, body }, [secret])
  expect(headers.toJSON()).toMatchObject({
    ...fields,
    'content-type': 'application/json',
    'user-agent': 'Sitehost-Webhooks/1',
  })
  expect(delivery).toMatchObject({ state: 'delivered', attempts: 1, status: 204, failure: null })
})

test('while a secret is replaced, the one before signs too', async () => {
  await add()
  const sealed = await seal.seal('whsec_bmV3', webhookContext('hook'))
  const times = { formerUntil: now + 10, now }
  await replaceSecret(database.db, { did: alice, id: 'hook' }, sealed, times)
  const signatures = async () => {
    await publish()
    await pass()
    return received.at(-1)?.headers.get('webhook-signature')?.split(' ').length
  }
  expect(await signatures()).toBe(2)
  now += 10
  expect(await signatures()).toBe(1)
})

test('a failed delivery is sent again, the same, until it is given up within a day', async () => {
  await add()
  await publish()
  answer = () => new Response('no', { status: 500 })
  const begun = now
  for (const pauseMs of retryPausesMs) {
    await pass()
    now += pauseMs - 1
    await pass()
    now += 1
  }
  await pass()
  expect(received.map(({ body }) => body)).toEqual(Array(8).fill(received[0]?.body))
  expect(new Set(received.map(({ headers }) => headers.get('webhook-id'))).size).toBe(1)
  expect(await log()).toMatchObject([{ state: 'given-up', attempts: 8, status: 500 }])
  expect(now - begun).toBeLessThan(24 * 60 * 60_000)
  expect(retryPausesMs.every((pauseMs) => pauseMs < deliveryRetryMsMax)).toBe(true)
})

test('a webhook that fails for days is disabled, and the log says so', async () => {
  await add()
  await publish()
  answer = () => new Response('no', { status: 500 })
  await pass()
  now += failingMsMax
  for (let attempts = 1; attempts < 8; attempts++) {
    await pass()
    now += deliveryRetryMsMax
  }
  const webhook = await findWebhook(database.db, { did: alice, id: 'hook' })
  expect(webhook).toMatchObject({ disabledBy: 'failing' })
  expect(logged.map(({ message }) => message)).toContain('webhook disabled')
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
    await add()
    await publish()
    answer = () => given
    await pass()
    expect(received).toHaveLength(1)
    expect(await log()).toMatchObject([expected])
  })

  test('reaches nobody', async () => {
    await add('hook', { url: 'http://127.0.0.1:1/' })
    await publish()
    await pass()
    expect(await log()).toMatchObject([{ failure: 'unreachable', status: null }])
  })

  test('is for a secret that no key opens', async () => {
    await add('hook', { sealedSecret: 'of another key' })
    await publish()
    await pass()
    expect(received).toEqual([])
    expect(await log()).toMatchObject([{ state: 'given-up', failure: 'secret-lost' }])
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
    await add('hook', { url, host: 'hooks.example' })
    await publish()
    await pass(open(fetch))
    expect([connections, await log()]).toMatchObject([
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
    await add('hook', { url: 'https://rebinds.example/', host: 'rebinds.example' })
    await publish()
    const deliveries = open(fetch)
    await pass(deliveries)
    now += retryPausesMs[0]
    await pass(deliveries)
    expect(asked).toEqual(['93.184.216.34'])
    expect(await log()).toMatchObject([{ failure: 'forbidden', attempts: 2 }])
  })
})

test('an answer is waited for so long, and its body is not', async () => {
  await add()
  await publish()
  const { promise, resolve } = Promise.withResolvers<Response>()
  answer = () => promise
  const fetch = createSafeFetch({ allowPrivate: true })
  await pass(new Deliveries({ ...contextOf(fetch), answerMs: 20 }))
  expect(await log()).toMatchObject([{ failure: 'timeout', state: 'pending', status: null }])
  resolve(new Response())
  now += retryPausesMs[0]
  answer = () => new Response(endless() as unknown as BodyInit)
  await pass(new Deliveries({ ...contextOf(fetch), answerMs: 5_000 }))
  expect(await log()).toMatchObject([{ state: 'delivered', status: 200 }])
})

async function* endless() {
  for (;;) {
    yield 'a'
    await Bun.sleep(1)
  }
}

test('so many are in progress, and so many for a host and an account', async () => {
  const waiting: (() => void)[] = []
  const hanging: SafeFetch = () =>
    new Promise((resolve) => waiting.push(() => resolve(new Response())))
  const urls = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example`)
  for (const host of urls) await add(host, { did: bob, host, url: `https://${host}/` })
  for (let n = 0; n < 6; n++) await publish(bob)
  await add('same', { host: 'one.example' })
  for (let n = 0; n < 6; n++) await publish()
  const deliveries = open(hanging)
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
  stop.abort()
  for (const end of waiting) end()
  await deliveries.ended()
})

describe('the next place is for an account that had none of late, while others have hundreds due', () => {
  const flooding = [1, 2, 3, 4].map(accountOf)
  const backlog = async (hostOf: (n: number) => string): Promise<void> => {
    for (const [n, did] of flooding.entries()) {
      for (const id of [`a${n}`, `b${n}`])
        await add(id, { did, host: hostOf(n), url: `https://${id}.example/` })
      for (let event = 0; event < 20; event++) await publish(did)
    }
    now += 1
    await add('last', { host: hostOf(9), url: 'https://last.example/' })
    await publish()
  }

  test('whose servers answer slowly', async () => {
    await backlog((n) => `host-${n}.example`)
    const open: { readonly url: string; readonly end: () => void }[] = []
    const deliveries = new Deliveries(
      contextOf((url) => {
        const { promise, resolve } = Promise.withResolvers<Response>()
        open.push({ url: String(url), end: () => resolve(new Response()) })
        return promise
      }),
    )
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
    stop.abort()
    for (const { end } of open) end()
    await deliveries.ended()
  })

  test('to the same host', async () => {
    const urls: string[] = []
    const deliveries = new Deliveries(
      contextOf(async (url) => {
        urls.push(String(url))
        return new Response()
      }),
    )
    await backlog(() => 'one.example')
    await pass(deliveries)
    expect(urls).toContain('https://last.example/')
    expect(urls.length).toBe(hostAllowance.count)
  })
})

test('an account has so many deliveries a minute, and others do not wait for it', async () => {
  await add()
  await add('of-bob', { did: bob })
  for (let n = 0; n < accountAllowance.count + 5; n++) {
    await publish()
    now += 1
    await pass(deliveriesOf())
  }
  expect(received).toHaveLength(accountAllowance.count)
  await publish(bob)
  await pass(deliveriesOf())
  expect(received.at(-1)?.path).toBe('/of-bob')
  now += accountAllowance.windowMs
  await pass(deliveriesOf())
  expect(received).toHaveLength(accountAllowance.count + 5 + 1)
  expect((await log()).every(({ attempts }) => attempts === 1)).toBe(true)
})

let limited: Deliveries | undefined
const deliveriesOf = (): Deliveries => {
  limited ??= open()
  return limited
}
afterEach(() => {
  limited = undefined
})

test('what a process that died had taken is sent by the next one', async () => {
  await add()
  await publish()
  const dying = open(() => new Promise(() => undefined))
  await dying.startDue()
  now += deliveryLeaseMs - 1
  await pass()
  expect(received).toEqual([])
  now += 1
  await pass()
  expect(await log()).toMatchObject([{ state: 'delivered' }])
})

test('what is in progress when the service stops is due at once', async () => {
  await add()
  await publish()
  const stopped = open(async (_, init) => {
    stop.abort()
    throw init?.signal?.reason
  })
  await pass(stopped)
  stop = new AbortController()
  await pass()
  expect(await log()).toMatchObject([{ state: 'delivered', attempts: 1 }])
})

test('what is disabled meanwhile stays given up', async () => {
  await add()
  await publish()
  answer = async () => {
    await changeWebhook(database.db, { did: alice, id: 'hook' }, { isEnabled: false }, now)
    return new Response()
  }
  await pass()
  expect(await log()).toMatchObject([{ state: 'given-up', failure: 'disabled' }])
})

test('a message is sent as it was stored', () => {
  const message = JSON.stringify({ did: alice, site: null, labels: { url: null } })
  const body = bodyOf({ createdAt: 0, event: 'webhook.test', message }, labelUrl)
  expect(JSON.parse(body)).toEqual({
    type: 'webhook.test',
    timestamp: '1970-01-01T00:00:00.000Z',
    data: { did: alice, site: null, url: null },
  })
})
