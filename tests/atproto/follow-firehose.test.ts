import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { FirehoseEvent, FirehoseFormat, GapReason } from '#atproto/firehose/firehose-format.ts'
import { queueEventsMax } from '#atproto/firehose/firehose-queue.ts'
import { subscribeRepos } from '#atproto/firehose/firehose-repos.ts'
import { FirehoseStatus } from '#atproto/firehose/firehose-status.ts'
import { type FirehoseOptions, parseFirehoseUrl } from '#atproto/firehose/follow-firehose.ts'
import { jetstream } from '#atproto/firehose/jetstream.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import type { EventServer, LoggedFrame } from '#tests/support/servers/event-server.ts'
import { firehoseEvents } from '#tests/support/servers/firehose-events.ts'
import {
  jetstreamAccount,
  jetstreamCommit,
  jetstreamIdentity,
  startJetstreamServer,
} from '#tests/support/servers/jetstream-server.ts'
import {
  cborFrame,
  errorFrame,
  reposCommit,
  reposEvent,
  startReposServer,
} from '#tests/support/servers/repos-server.ts'
import { eventually } from '../support/eventually.ts'

const us = Date.now() * 1000
const path = (rkey: string | number) => `place.sitehost.fs/${rkey}`
const gap = (reason: GapReason): FirehoseEvent => ({ kind: 'gap', reason, cursor: null })
const site = (cursor: number | null, rkey: string | number, did = alice): FirehoseEvent => ({
  kind: 'site',
  did,
  collection: 'place.sitehost.fs',
  rkey: String(rkey),
  cursor,
})

interface Following extends AsyncDisposable {
  /** All that came, but what was passed. */
  readonly told: FirehoseEvent[]
  readonly problems: string[]
  /** The last one that was not null. */
  readonly cursor: number | null
  /** Resolves when all that came, but what was passed, is this. */
  sees(...expected: readonly FirehoseEvent[]): Promise<void>
}

/** Takes all events of a server, until it is disposed of. */
function follow({ url }: EventServer, options: Partial<FirehoseOptions> = {}): Following {
  const told: FirehoseEvent[] = []
  const problems: string[] = []
  const stop = new AbortController()
  let cursor = options.cursor ?? null
  const running = (async () => {
    for await (const event of firehoseEvents({
      url,
      cursor: null,
      collections: new Set(['place.sitehost.fs']),
      signal: stop.signal,
      onProblem: (problem) => problems.push(problem),
      pauseMs: { min: 1, max: 5 },
      ...options,
    })) {
      if (event.kind !== 'passed') told.push(event)
      cursor = event.cursor ?? cursor
    }
  })()
  return {
    told,
    problems,
    get cursor() {
      return cursor
    },
    sees: (...expected) => eventually(async () => expect(told).toEqual([...expected])),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await running
    },
  }
}

describe('a server or relay', () => {
  test('what happens from now on, after a gap', async () => {
    await using server = startReposServer()
    await using following = follow(server)
    await following.sees(gap('no-cursor'))
    server.emit(
      reposCommit(1, alice, path('a'), 'app.bsky.feed.post/x', path('b')),
      reposEvent('#account', 2, { did: bob, active: false, status: 'deleted' }),
      reposEvent('#identity', 3, { did: bob }),
      reposEvent('#sync', 4, { did: alice }),
    )
    await following.sees(
      gap('no-cursor'),
      site(null, 'a'),
      site(1, 'b'),
      { kind: 'account', did: bob, cursor: 2 },
      { kind: 'identity', did: bob, cursor: 3 },
      { kind: 'sync', did: alice, cursor: 4 },
    )
  })

  test('continues from the cursor, past events that are not ours', async () => {
    await using server = startReposServer()
    server.emit(...[1, 2, 3].map((seq) => reposCommit(seq, alice, path(seq))))
    server.emit(...[4, 5, 6].map((seq) => reposCommit(seq, alice, 'app.bsky.feed.post/x')))
    await using following = follow(server, { cursor: 1 })
    await eventually(async () => expect(following.cursor).toBe(6))
    expect(following.told).toEqual([site(2, 2), site(3, 3)])
    expect(server.connections.map(String)).toEqual(['cursor=1'])
  })

  test('invalid frames are skipped and reported', async () => {
    await using server = startReposServer()
    const bad: (string | Uint8Array)[] = [
      'text',
      cborFrame({ op: 1, t: '#commit' }, { seq: -4 }),
      Buffer.concat([cborFrame({ op: 1, t: '#commit' }, []), Buffer.alloc(200_000, 0x81)]),
      errorFrame('ConsumerTooSlow'),
      new Uint8Array(20_000_000),
      ...Array.from({ length: 200 }, (_, i) => crypto.getRandomValues(new Uint8Array(i))),
    ]
    server.emit(...bad.map((frame) => ({ number: 1, frame })), reposCommit(1, alice, path('a')))
    await using following = follow(server, { cursor: 0 })
    await following.sees(site(1, 'a'))
    expect(following.problems).toHaveLength(bad.length)
  })

  test('numbers that repeat or go back are handed on, and do not move the cursor', async () => {
    await using server = startReposServer()
    const numbers = [1, 2, 2, 1, 3, 2, 4]
    server.emit(...numbers.map((seq, i) => reposCommit(seq, alice, path(i))))
    await using following = follow(server, { cursor: 0 })
    await following.sees(...[1, 2, 2, 2, 3, 3, 4].map((cursor, i) => site(cursor, i)))
    expect(following.problems).toEqual(Array(3).fill('number went back'))
  })
})

describe('Jetstream', () => {
  test('asks for our collections, and continues from the cursor', async () => {
    await using server = startJetstreamServer()
    server.emit(
      jetstreamCommit(us - 20_000_000, alice, path('long-ago')),
      jetstreamCommit(us, alice, path('last')),
      jetstreamCommit(us + 1, bob, path('a')),
      jetstreamCommit(us + 2, bob, 'app.bsky.feed.post/x'),
      jetstreamAccount(us + 3, bob, { active: true }),
      jetstreamIdentity(us + 4, bob),
    )
    await using following = follow(server, { cursor: us })
    await following.sees(
      site(us, 'last'),
      site(us + 1, 'a', bob),
      { kind: 'account', did: bob, cursor: us + 3 },
      { kind: 'identity', did: bob, cursor: us + 4 },
    )
    expect(server.connections.map(String)).toEqual([
      `wantedCollections=place.sitehost.fs&cursor=${us - 10_000_000}`,
    ])
  })

  test('events out of order are passed on, and are no problem', async () => {
    await using server = startJetstreamServer()
    const order = [us, us + 3, us + 1, us + 2, us + 4]
    server.emit(...order.map((time, i) => jetstreamCommit(time, alice, path(i))))
    await using following = follow(server, { cursor: us })
    await following.sees(
      ...[us, us + 3, us + 3, us + 3, us + 4].map((cursor, i) => site(cursor, i)),
    )
    expect(following.problems).toEqual([])
  })

  test('how late its events are queued is known, and that none comes', async () => {
    await using server = startJetstreamServer()
    const status = new FirehoseStatus()
    let time = us / 1000
    await using following = follow(server, { status, now: () => time })
    await following.sees(gap('no-cursor'))
    expect(status.lagMs(time)).toBe(0)
    time += 7000
    server.emit(jetstreamCommit(us, alice, path('a')))
    await eventually(async () => expect(status.lagMs(time)).toBe(7000))
    expect(status.lagMs(time + 60_000)).toBe(0)
  })

  test('invalid frames are skipped and reported', async () => {
    await using server = startJetstreamServer()
    const bad = ['', '{', '[]', 'null', '{"kind":"x"}', new Uint8Array(9), 'x'.repeat(9_000_000)]
    server.emit(
      ...bad.map((frame) => ({ number: us, frame })),
      jetstreamCommit(us, alice, path('a')),
    )
    await using following = follow(server, { cursor: us })
    await following.sees(site(us, 'a'))
    expect(following.problems).toHaveLength(bad.length)
  })
})

describe('a gap comes before the events after it', () => {
  test('when the server refuses a cursor of the future', async () => {
    await using server = startReposServer()
    server.emit(reposCommit(1, alice, path('old')))
    await using following = follow(server, { cursor: 500 })
    await following.sees(gap('future-cursor'))
    server.emit(reposCommit(2, alice, path('new')))
    await following.sees(gap('future-cursor'), site(2, 'new'))
    expect(following.problems).toEqual(['cursor of the future, trying again'])
    expect(server.connections.map(String)).toEqual(['cursor=500', ''])
  })

  test('when a relay has started anew without a message', async () => {
    await using server = startReposServer({ isSilent: true })
    await using following = follow(server, { cursor: 500 })
    await eventually(async () => expect(server.openCount).toBe(1))
    server.emit(reposCommit(1, alice, path('a')), reposCommit(2, alice, path('b')))
    await following.sees(gap('future-cursor'), site(1, 'a'), site(2, 'b'))
  })

  test('when the cursor of a Jetstream is one of the future', async () => {
    await using server = startJetstreamServer()
    await using following = follow(server, { cursor: us + 3_600_000_000 })
    await following.sees(gap('future-cursor'))
    server.emit(jetstreamCommit(us, alice, path('a')))
    await following.sees(gap('future-cursor'), site(us, 'a'))
    expect(server.connections.map(String)).toEqual(['wantedCollections=place.sitehost.fs'])
  })

  const commits = [5, 6].map((seq) => reposCommit(seq, alice, path(seq)))
  const facts: [string, () => EventServer, number, LoggedFrame[]][] = [
    ['when the server reports that it continues later', startReposServer, 2, commits],
    [
      'when a relay goes on later and says nothing',
      () => startReposServer({ isSilent: true }),
      2,
      commits,
    ],
    [
      'when a Jetstream goes on later, of which none says anything',
      startJetstreamServer,
      us - 1,
      [us, us + 1].map((time) => jetstreamCommit(time, alice, path(time))),
    ],
  ]
  test.each(facts)('%s', async (_, start, cursor, frames) => {
    await using server = start()
    server.emit(...frames)
    await using following = follow(server, { cursor })
    await following.sees(
      gap('outdated-cursor'),
      ...frames.map(({ number }) => site(number, number)),
    )
  })

  test('when the source starts anew while we follow it', async () => {
    await using server = startReposServer()
    server.emit(reposCommit(1, alice, path('a')), reposCommit(2, alice, path('b')))
    await using following = follow(server, { cursor: 0 })
    await following.sees(site(1, 'a'), site(2, 'b'))
    server.startAnew()
    await following.sees(site(1, 'a'), site(2, 'b'), gap('future-cursor'))
    server.emit(reposCommit(1, alice, path('c')))
    await following.sees(site(1, 'a'), site(2, 'b'), gap('future-cursor'), site(1, 'c'))
  })
})

describe('connections that are lost', () => {
  const count = 100
  // So far apart that a replay of ten seconds begins with the last event that was seen.
  const timeOf = (n: number) => us + (n - count) * 20_000_000
  const facts: [string, () => EventServer, (n: number) => LoggedFrame, number, number][] = [
    ['a server', startReposServer, (n) => reposCommit(n, alice, path(n)), 0, 1],
    [
      'a Jetstream',
      startJetstreamServer,
      (n) => jetstreamCommit(timeOf(n), alice, path(n)),
      timeOf(0),
      2,
    ],
  ]
  test.each(facts)(
    'after every single event of %s',
    async (_, start, frameOf, cursor, framesMax) => {
      await using server = start()
      server.framesMax = framesMax
      const frames = Array.from({ length: count }, (_, n) => frameOf(n + 1))
      server.emit(frameOf(0), ...frames)
      await using following = follow(server, { cursor })
      await eventually(async () => expect(following.cursor).toBe(frames.at(-1)?.number ?? null))
      const cursors = new Set(following.told.map((event) => event.cursor))
      cursors.delete(cursor)
      expect([...cursors]).toEqual(frames.map(({ number }) => number))
      expect(server.connections.length).toBeGreaterThanOrEqual(count)
    },
  )

  test('at any moment, 10 000 events: each comes once, in order', async () => {
    await using server = startReposServer()
    await using following = follow(server, { cursor: 0 })
    for (let seq = 1; seq <= 10_000; seq++) {
      server.emit(reposCommit(seq, seq % 2 ? alice : bob, path(seq)))
      if (Math.random() < 0.02) server.drop()
      if (Math.random() < 0.02) await new Promise(setImmediate)
    }
    await eventually(async () => expect(following.cursor).toBe(10_000))
    expect(following.told).toEqual(
      Array.from({ length: 10_000 }, (_, i) => site(i + 1, i + 1, i % 2 ? bob : alice)),
    )
  })

  test('a restart with the last cursor misses nothing', async () => {
    await using server = startReposServer()
    const keys = Array.from({ length: 60 }, (_, i) => `k${i}`)
    for (let i = 0; i < 60; i += 3) {
      server.emit(reposCommit(i / 3 + 1, alice, ...keys.slice(i, i + 3).map(path)))
    }
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20 })), async (lives) => {
        const seen = new Set<string>()
        let cursor: number | null = 0
        for (const eventsMax of [...lives, 60]) {
          let count = 0
          for await (const event of firehoseEvents({
            url: server.url,
            cursor,
            collections: new Set(['place.sitehost.fs']),
            signal: new AbortController().signal,
            onProblem: () => undefined,
          })) {
            if (event.kind === 'site') seen.add(event.rkey)
            cursor = event.cursor ?? cursor
            if (cursor === 20 || ++count === eventsMax) break
          }
          if (cursor === 20) break
        }
        expect([...seen]).toEqual(keys)
      }),
      { numRuns: 30 },
    )
  })

  test('a source that is away is asked again, with pauses that grow up to a limit', async () => {
    const waits: number[] = []
    const stop = new AbortController()
    let last = performance.now()
    const events = firehoseEvents({
      url: 'ws://127.0.0.1:1',
      cursor: null,
      collections: new Set(),
      signal: stop.signal,
      onProblem: () => {
        waits.push(performance.now() - last)
        last = performance.now()
        if (waits.length === 7) stop.abort()
      },
      pauseMs: { min: 8, max: 64 },
    })
    expect(await events.next()).toEqual({ done: true, value: undefined })
    // Half of each at least, which is what is left to chance; how much longer is the machine's business.
    const shortest = [4, 8, 16, 32, 32, 32]
    for (const [i, wait] of waits.slice(1).entries()) {
      expect(wait).toBeGreaterThan((shortest[i] ?? 0) - 1)
    }
  })
})

describe('a slow consumer', () => {
  /** What two sockets of one machine may hold between them. */
  const socketBytesMax = 16 * 1024 * 1024
  const total = 40_000
  const commitOf = (seq: number): LoggedFrame => {
    const ops = [{ path: path(seq) }]
    return reposEvent('#commit', seq, { repo: alice, ops, blocks: 'x'.repeat(1000) })
  }
  const totalBytes = total * commitOf(total).frame.length

  test('is waited for: the server keeps what does not fit', async () => {
    await using server = startReposServer()
    const stop = new AbortController()
    const problems: string[] = []
    const events = firehoseEvents({
      url: server.url,
      cursor: 0,
      collections: new Set(['place.sitehost.fs']),
      signal: stop.signal,
      onProblem: (problem) => problems.push(problem),
    })
    const first = events.next()
    await eventually(async () => expect(server.openCount).toBe(1))
    for (let seq = 1; seq <= total; seq++) server.emit(commitOf(seq))
    expect((await first).value).toEqual(site(1, 1))
    const taken = totalBytes - (await lastOf(() => server.heldBytes))
    expect(taken).toBeLessThan((totalBytes / total) * queueEventsMax + socketBytesMax)

    const rest = await Array.fromAsync(
      { length: total - 1 },
      async () => (await events.next()).value,
    )
    expect(rest.findIndex((event, i) => event?.cursor !== i + 2)).toBe(-1)
    stop.abort()
    expect((await events.next()).done).toBe(true)
    expect(server.connections).toHaveLength(1)
    expect(problems).toEqual([])
  }, 30_000)

  /** What a number is when it has stopped changing: the same at 20 looks, for 0.4 s. */
  async function lastOf(read: () => number): Promise<number> {
    const seen: number[] = []
    return await eventually(async () => {
      seen.unshift(read())
      const latest = seen.slice(0, 20)
      expect(latest).toHaveLength(20)
      expect(new Set(latest).size).toBe(1)
      return read()
    })
  }
})

describe('the end', () => {
  const options = {
    collections: new Set(['place.sitehost.fs']),
    cursor: 0,
    onProblem: () => undefined,
  }
  test('an aborted signal connects to nothing', async () => {
    await using server = startReposServer()
    const events = firehoseEvents({ ...options, url: server.url, signal: AbortSignal.abort() })
    expect(await events.next()).toEqual({ done: true, value: undefined })
    expect(server.connections).toEqual([])
  })
  test('leaving the loop ends the connection', async () => {
    await using server = startReposServer()
    server.emit(reposCommit(1, alice, path('a')))
    const signal = new AbortController().signal
    for await (const _ of firehoseEvents({ ...options, url: server.url, signal })) break
    await eventually(async () => expect(server.openCount).toBe(0))
  })
  test('another address is rejected', async () => {
    const signal = new AbortController().signal
    const events = firehoseEvents({ ...options, url: 'wss://jet.example/other', signal })
    await expect(events.next()).rejects.toBeInstanceOf(TypeError)
  })
})

const facts: [string, { base: string; format: FirehoseFormat } | null][] = [
  ['https://bsky.network', { base: 'wss://bsky.network/', format: subscribeRepos }],
  ['http://localhost:2583', { base: 'ws://localhost:2583/', format: subscribeRepos }],
  ['wss://relay.example/', { base: 'wss://relay.example/', format: subscribeRepos }],
  [
    'wss://relay.example/xrpc/com.atproto.sync.subscribeRepos',
    { base: 'wss://relay.example/xrpc/com.atproto.sync.subscribeRepos', format: subscribeRepos },
  ],
  ['wss://jet.example/subscribe', { base: 'wss://jet.example/subscribe', format: jetstream }],
  ['https://jet.example/subscribe', { base: 'wss://jet.example/subscribe', format: jetstream }],
  [
    'ws://127.0.0.1:6008/subscribe?key=k',
    { base: 'ws://127.0.0.1:6008/subscribe?key=k', format: jetstream },
  ],
  [
    'wss://front.example/jet/subscribe',
    { base: 'wss://front.example/jet/subscribe', format: jetstream },
  ],
  ['wss://jet.example/subscribe/', null],
  ['wss://jet.example/unsubscribe', null],
  ['wss://jet.example/xrpc/network.bsky.jetstream.subscribeEvents', null],
  ['wss://relay.example/xrpc/com.atproto.label.subscribeLabels', null],
  ['wss://relay.example/#x', null],
  ['ftp://relay.example/', null],
  ['relay.example', null],
  ['', null],
]

test.each(facts)('%s', (input, expected) => {
  const source = parseFirehoseUrl(input)
  expect(source && { base: source.base.href, format: source.format }).toEqual(expected)
})
