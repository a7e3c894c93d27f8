import { afterEach, describe, expect, test } from 'bun:test'
import * as Cbor from '@atcute/cbor'
import fc from 'fast-check'
import { alice, bob } from '#tests/support/sample-rows.ts'
import { eventOf, type FirehoseEvent, followFirehose } from './firehose.ts'

const collections = new Set(['place.sitehost.fs'])
const $type = 'com.atproto.sync.subscribeRepos#commit'
const commit = (facts: Record<string, unknown> = {}) => ({
  $type,
  seq: 7,
  repo: alice,
  ops: [],
  ...facts,
})
const ops = (...paths: unknown[]) => ({ ops: paths.map((path) => ({ action: 'create', path })) })
const touched = (rkey: string, did = alice) => ({ did, collection: 'place.sitehost.fs', rkey })

describe('an event is what it says about our collections', () => {
  const facts: [string, unknown, FirehoseEvent | null][] = [
    ['one record', commit(ops('place.sitehost.fs/blog')), { seq: 7, touched: [touched('blog')] }],
    [
      'some of several',
      commit(ops('app.bsky.feed.post/1', 'place.sitehost.fs/a', 'place.sitehost.fs/b')),
      { seq: 7, touched: [touched('a'), touched('b')] },
    ],
    [
      'other collections with our prefix',
      commit(ops('place.sitehost.fsx/a', 'place.sitehost/fs/a')),
      { seq: 7, touched: [] },
    ],
    [
      'paths without a key',
      commit(ops('place.sitehost.fs', 'place.sitehost.fs/', 'place.sitehost.fsX', '/', '')),
      { seq: 7, touched: [] },
    ],
    [
      'keys that are none',
      commit(
        ops(
          'place.sitehost.fs/..',
          'place.sitehost.fs/a/b',
          'place.sitehost.fs/a b',
          `place.sitehost.fs/${'x'.repeat(513)}`,
        ),
      ),
      { seq: 7, touched: [] },
    ],
    [
      'operations that are none',
      commit({ ops: [null, 1, {}, { path: 5 }, []] }),
      { seq: 7, touched: [] },
    ],
    ['200 operations', commit(ops(...Array(200).fill('a.b.c/d'))), { seq: 7, touched: [] }],
    ['201 operations', commit(ops(...Array(201).fill('a.b.c/d'))), null],
    ['operations that are no list', commit({ ops: 'place.sitehost.fs/a' }), null],
    ['no account', commit({ repo: undefined }), null],
    [
      'an account of a kind that we do not read',
      commit({ ...ops('place.sitehost.fs/a'), repo: 'did:key:zabc' }),
      { seq: 7, touched: [] },
    ],
    [
      'an account at an address',
      commit({ ...ops('place.sitehost.fs/a'), repo: 'did:web:localhost%3A80' }),
      { seq: 7, touched: [] },
    ],
    [
      'another kind of event',
      { $type: 'com.atproto.sync.subscribeRepos#identity', seq: 8, did: bob },
      { seq: 8, touched: [] },
    ],
    ['an event of the future', { $type: 'x', seq: 9 }, { seq: 9, touched: [] }],
    ['a negative number', commit({ seq: -1 }), null],
    ['a broken number', commit({ seq: 1.5 }), null],
    ['a number beyond reach', commit({ seq: 2 ** 53 }), null],
    ['no number', { $type }, null],
    ['nothing', null, null],
    ['a text', 'commit', null],
    ['a list', [commit()], null],
  ]
  for (const [what, message, expected] of facts) {
    test(what, () => expect(eventOf(message, collections)).toEqual(expected))
  }
  test('whatever it is, it throws nothing', () => {
    const value = fc.anything({ withNullPrototype: true })
    const message = fc.oneof(
      value,
      fc.record({
        $type: fc.constant($type),
        seq: fc.nat(),
        repo: fc.oneof(value, fc.constant(alice)),
        ops: fc.oneof(value, fc.array(value)),
      }),
    )
    fc.assert(fc.property(message, (raw) => void eventOf(raw, collections)))
  })
})

describe('a stream', () => {
  let server: Bun.Server<{ cursor: string | null }> | undefined
  afterEach(() => server?.stop(true))

  const frame = (body: object, header: object = { op: 1, t: '#commit' }): Uint8Array =>
    Buffer.concat([Cbor.encode(header), Cbor.encode(body)])
  const event = (seq: number) => frame({ seq, repo: alice, ops: [{ path: 'place.sitehost.fs/a' }] })

  /** Serves these frames to whoever connects and tells the cursors that were asked for. */
  function serve(frames: (cursor: string | null) => (Uint8Array | string)[]): {
    url: string
    cursors: (string | null)[]
  } {
    const cursors: (string | null)[] = []
    server = Bun.serve<{ cursor: string | null }>({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request, self) {
        const cursor = new URL(request.url).searchParams.get('cursor')
        cursors.push(cursor)
        self.upgrade(request, { data: { cursor } })
      },
      websocket: {
        message: () => undefined,
        open(socket) {
          for (const bytes of frames(socket.data.cursor)) socket.send(bytes)
        },
      },
    })
    return { url: server.url.origin, cursors }
  }

  /** The numbers of the first events, and what went wrong until then. */
  async function follow(
    url: string,
    count: number,
  ): Promise<{ seqs: number[]; problems: string[] }> {
    const seqs: number[] = []
    const problems: string[] = []
    const stop = new AbortController()
    const events = followFirehose({
      url,
      cursor: () => seqs.at(-1) ?? 5,
      collections,
      signal: stop.signal,
      onProblem: (problem) => problems.push(problem),
      onFutureCursor: () => problems.push('future'),
    })
    for await (const { seq } of events) if (seqs.push(seq) >= count) stop.abort()
    return { seqs, problems }
  }

  test('goes on from the cursor, until the signal', async () => {
    const { url, cursors } = serve(() => [event(6), event(7), event(8)])
    expect(await follow(url, 2)).toEqual({ seqs: [6, 7], problems: [] })
    expect(cursors).toEqual(['5'])
  })

  test('survives frames that are none, and counts them', async () => {
    const bad: (Uint8Array | string)[] = [
      'text',
      new Uint8Array(),
      new Uint8Array([0xff, 0xff]),
      crypto.getRandomValues(new Uint8Array(500)),
      frame({ seq: 6 }, { op: 2 }),
      frame({ seq: 6 }, { op: 1, t: 5 }),
      Cbor.encode({ op: 1, t: '#commit' }),
      Buffer.concat([Cbor.encode({ op: 1, t: '#commit' }), Buffer.alloc(200_000, 0x81)]),
      Buffer.concat([Cbor.encode({ op: -1 }), Cbor.encode(null)]),
    ]
    const { url } = serve(() => [...bad, frame({ seq: -4 }), event(9)])
    const { seqs, problems } = await follow(url, 1)
    expect(seqs).toEqual([9])
    expect(problems).toHaveLength(bad.length + 1)
  })

  test('survives any bytes', async () => {
    const noise = Array.from({ length: 200 }, (_, i) => crypto.getRandomValues(new Uint8Array(i)))
    const { url } = serve(() => [...noise, event(10)])
    expect((await follow(url, 1)).seqs).toEqual([10])
  })

  test('tells error frames by their name, and a cursor of the future apart', async () => {
    const error = (name: unknown) => frame({ error: name, message: 'no' }, { op: -1 })
    const { url } = serve(() => [
      error('ConsumerTooSlow'),
      error(7),
      error('FutureCursor'),
      event(1),
    ])
    expect(await follow(url, 1)).toEqual({
      seqs: [1],
      problems: ['ConsumerTooSlow', '7', 'future'],
    })
  })

  test('an aborted signal connects to nothing', async () => {
    const events = followFirehose({
      url: 'http://127.0.0.1:1',
      cursor: () => null,
      collections,
      signal: AbortSignal.abort(),
      onProblem: () => undefined,
      onFutureCursor: () => undefined,
    })
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })
})
