import { afterEach, beforeEach, expect, test } from 'bun:test'
import { sentences } from '#api/contract/messages.ts'
import type { Answer } from '#edge/dispatch.ts'
import { answerRelayedHere, relayToOwner } from '#main/relay/relay-to-owner.ts'
import type { Database } from '#store/database/database.ts'
import { registerInstance } from '#store/instances.ts'
import { createDeploy } from '#store/queues/deploys.ts'
import { recordingLog } from '#tests/support/api.ts'
import { memoryDatabase } from '#tests/support/database/memory-database.ts'
import { bob, newDeploy } from '#tests/support/database/sample-rows.ts'
import { eventually } from '#tests/support/eventually.ts'

// A request for a deploy, from the instance that it came to, `here`, to the one that has its files, `there`.

const token = 'the-token-of-all-instances'
let database: Database
let here: Bun.Server<undefined>
let there: Bun.Server<undefined>
let deployId: string
let tokenHere: string
let relayedMax: number
/** Requests, there. */
let arrived: number
/** With the settings of the first request. */
let relaying: Answer | null

/** What arrived where. */
const answerAs =
  (name: string): Answer =>
  async (request, server) =>
    Response.json({
      name,
      url: request.url,
      peer: server.requestIP(request)?.address ?? null,
      headers: [...request.headers.keys()].filter((field) => field.startsWith('sitehost-')),
      authorization: request.headers.get('authorization'),
      body: await request.text(),
    })

beforeEach(async () => {
  database = await memoryDatabase()
  tokenHere = token
  relayedMax = 9
  arrived = 0
  relaying = null
  const { db } = database
  const deploy = newDeploy({ instance: 'there' })
  deployId = deploy.id
  await createDeploy(db, deploy, [], { openMax: 9, now: 1 })
  there = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: (request, server) => {
      arrived++
      return (
        answerRelayedHere(request, server, { answer: answerAs('there'), token }) ??
        new Response('not relayed', { status: 404 })
      )
    },
  })
  await register(there.url.origin)
  here = Bun.serve({
    ...{ port: 0, hostname: '127.0.0.1' },
    fetch: (request, server) => {
      relaying ??= relayToOwner(answerAs('here'), {
        ...{
          db,
          instance: 'here',
          log: recordingLog(),
          relayedMax,
          token: tokenHere,
          waitMsMax: 50,
        },
        stopping: new AbortController().signal,
      })
      return relaying(request, server)
    },
  })
})
afterEach(async () => {
  await here.stop(true)
  await there.stop(true)
  await database[Symbol.asyncDispose]()
})

const register = (address: string) =>
  registerInstance(database.db, {
    ...{ id: 'there', run: 'run', address, roles: 'app', version: '' },
  })

const send = (method: string, path: string, init: RequestInit = {}) =>
  fetch(new URL(path, here.url), { method, ...init })

const away = async (response: Response) => ({
  status: response.status,
  body: await response.json(),
  retryAfter: response.headers.get('retry-after'),
})
const isAway = { status: 503, body: { error: sentences.restarting }, retryAfter: '10' }

test('it arrives there as it was sent, with its client and without what the relay adds', async () => {
  const answer = await send('PUT', `/api/deploys/${deployId}/files/abc?x=y`, {
    headers: {
      host: 'app.example',
      authorization: 'Bearer of-a-program',
      'sitehost-peer': 'forged',
    },
    body: 'the file',
  })
  expect(await answer.json()).toEqual({
    name: 'there',
    url: `http://app.example/api/deploys/${deployId}/files/abc?x=y`,
    peer: '127.0.0.1',
    headers: [],
    authorization: 'Bearer of-a-program',
    body: 'the file',
  })
})

test.each([
  ['what rows can answer', 'GET', () => `/api/deploys/${deployId}`],
  ['a deploy that nobody knows', 'DELETE', () => `/api/deploys/${crypto.randomUUID()}`],
  ['anything else', 'POST', () => '/sitehost/upload-files'],
])('%s is answered here', async (_, method, path) => {
  expect(await (await send(method, path())).json()).toMatchObject({ name: 'here' })
})

test('one for a deploy of this instance is answered here', async () => {
  await database.db.updateTable('deploys').set({ instance: 'here' }).execute()
  const answer = await send('DELETE', `/api/deploys/${deployId}`)
  expect(await answer.json()).toMatchObject({ name: 'here' })
})

test('another token is refused, and without one a request is not taken for a relayed one', async () => {
  tokenHere = 'another-token-of-somebody'
  expect((await send('DELETE', `/api/deploys/${deployId}`)).status).toBe(401)
  const peer = { 'sitehost-peer': '192.0.2.1' }
  expect((await fetch(there.url, { headers: peer })).status).toBe(404)
})

test('an instance that is not there any more is waited for, and then said to be away', async () => {
  const { db } = database
  await there.stop(true)
  expect(await away(await send('DELETE', `/api/deploys/${deployId}`))).toEqual(isAway)
  // A machine that is gone does not even refuse connections: no request goes to one that is not seen.
  await register('http://192.0.2.1:9')
  await db.updateTable('instances').set({ seenAt: 1 }).execute()
  expect(await away(await send('DELETE', `/api/deploys/${deployId}`))).toEqual(isAway)
  await db.deleteFrom('instances').execute()
  expect(await away(await send('DELETE', `/api/deploys/${deployId}`))).toEqual(isAway)
})

test('no more are relayed at a time than the process may have open', async () => {
  relayedMax = 0
  expect(await away(await send('DELETE', `/api/deploys/${deployId}`))).toEqual(isAway)
})

test('one account has a part of what is relayed at a time, however slowly it sends', async () => {
  const ofBob = newDeploy({ id: crypto.randomUUID(), did: bob, instance: 'there' })
  await createDeploy(database.db, ofBob, [], { openMax: 9, now: 1 })
  relayedMax = 8
  const ends: (() => void)[] = []
  const sendSlowly = () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    ends.push(resolve)
    const body = async function* () {
      yield 'begun'
      await promise
    }
    return send('PUT', `/api/deploys/${deployId}/files/abc`, {
      body: body() as unknown as BodyInit,
    })
  }
  const slow = [sendSlowly(), sendSlowly()]
  await eventually(async () => expect(arrived).toBe(2))
  expect(await away(await send('DELETE', `/api/deploys/${deployId}`))).toEqual(isAway)
  const other = await send('DELETE', `/api/deploys/${ofBob.id}`)
  expect(await other.json()).toMatchObject({ name: 'there' })
  for (const end of ends) end()
  expect((await Promise.all(slow)).map(({ status }) => status)).toEqual([200, 200])
})
