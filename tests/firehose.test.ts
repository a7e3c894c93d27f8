import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FirehoseEvent } from '#atproto/firehose/firehose-format.ts'
import { firehoseEvents } from '#tests/support/servers/firehose-events.ts'
import { type Devnet, startDevnet } from '../devnet/start.ts'
import { createSession, deleteRecord, putRecord } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'

// What the reference account server really sends, and how it answers cursors that it cannot serve.

let dir: string
let network: Devnet
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-firehose-'))
  network = await startDevnet({ dir })
}, 300_000)
afterAll(async () => {
  await network.stop()
  await rm(dir, { recursive: true, force: true })
})

function follow(cursor: number | null) {
  const events: FirehoseEvent[] = []
  const problems: string[] = []
  const stop = new AbortController()
  const running = (async () => {
    for await (const event of firehoseEvents({
      url: network.pds,
      cursor,
      collections: new Set(['place.sitehost.fs']),
      signal: stop.signal,
      onProblem: (problem) => problems.push(problem),
      pauseMs: { min: 10, max: 100 },
    })) {
      events.push(event)
    }
  })()
  return {
    problems,
    /** Without their numbers. */
    told: () =>
      events.flatMap(({ cursor: _, ...event }) => (event.kind === 'passed' ? [] : [event])),
    cursor: () => events.reduce<number | null>((last, event) => event.cursor ?? last, null),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

const post = (pds: string, method: string, token: string, body?: object) =>
  fetch(`${pds}/xrpc/com.atproto.server.${method}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })

test('records, an account that goes and comes back', async () => {
  const alice = await createSession(network.pds, 'alice.test', 'hunter2pass')
  const { did } = alice
  await using following = follow(null)
  // Events come in their order: after this one, none of the accounts that the network was started with is left.
  await putRecord(alice, 'place.sitehost.fs', 'first', { a: 1 })
  await eventually(async () => expect(following.told().at(-1)).toMatchObject({ rkey: 'first' }))
  expect(following.told()[0]).toEqual({ kind: 'gap', reason: 'no-cursor' })
  const before = following.told().length
  await putRecord(alice, 'place.sitehost.fs', 'blog', { a: 1 })
  await putRecord(alice, 'com.example.note', 'x', { a: 1 })
  await deleteRecord(alice, 'place.sitehost.fs', 'blog')
  await post(network.pds, 'deactivateAccount', alice.accessJwt, {})
  await post(network.pds, 'activateAccount', alice.accessJwt)
  const record = { kind: 'site', did, collection: 'place.sitehost.fs', rkey: 'blog' }
  await eventually(async () =>
    expect(following.told().slice(before)).toEqual([
      record,
      record,
      { kind: 'account', did },
      { kind: 'account', did },
      { kind: 'identity', did },
      { kind: 'sync', did },
    ] as never),
  )
  expect(following.problems).toEqual([])
})

test('goes on while the server is away', async () => {
  const bob = await createSession(network.pds, 'bob.test', 'hunter2pass')
  await putRecord(bob, 'place.sitehost.fs', 'one', { a: 1 })
  await using following = follow(0)
  await eventually(async () => expect(following.told().at(-1)).toMatchObject({ rkey: 'one' }))
  await network.stop()
  network = await startDevnet({ dir })
  await putRecord(bob, 'place.sitehost.fs', 'two', { a: 1 })
  await eventually(async () => expect(following.told().at(-1)).toMatchObject({ rkey: 'two' }))
  expect(following.told().filter(({ kind }) => kind === 'gap')).toEqual([])
}, 120_000)

test('a cursor of the future is a gap, after which it goes on', async () => {
  const bob = await createSession(network.pds, 'bob.test', 'hunter2pass')
  await using following = follow(1_000_000)
  await eventually(async () =>
    expect(following.told()).toEqual([{ kind: 'gap', reason: 'future-cursor' }]),
  )
  await putRecord(bob, 'place.sitehost.fs', 'three', { a: 1 })
  await eventually(async () => expect(following.told()[1]).toMatchObject({ rkey: 'three' }))
})

test('a cursor whose events the server does not keep any more is a gap', async () => {
  await network.stop()
  network = await startDevnet({ dir, pdsEnv: { repoBackfillLimitMs: 1 } })
  const bob = await createSession(network.pds, 'bob.test', 'hunter2pass')
  await using following = follow(1)
  await eventually(async () =>
    expect(following.told()).toEqual([{ kind: 'gap', reason: 'outdated-cursor' }]),
  )
  await putRecord(bob, 'place.sitehost.fs', 'four', { a: 1 })
  await eventually(async () => expect(following.told()[1]).toMatchObject({ rkey: 'four' }))
}, 120_000)
