import { describe, expect, test } from 'bun:test'
import * as Cbor from '@atcute/cbor'
import fc from 'fast-check'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import {
  cborFrame,
  errorFrame,
  infoFrame,
  reposCommit,
} from '#tests/support/servers/repos-server.ts'
import { type FirehoseFrame, frameBytesMax, problem } from './firehose-format.ts'
import { subscribeRepos } from './firehose-repos.ts'

const collections = new Set(['place.sitehost.fs', 'place.sitehost.subfs'])
const read = (data: unknown) => subscribeRepos.read(data, collections)
const message = (t: unknown, body: unknown) => cborFrame({ op: 1, t }, body)
const commit = (facts: object = {}) =>
  message('#commit', { seq: 7, repo: alice, ops: [], ...facts })
const ops = (...paths: unknown[]) => ({ ops: paths.map((path) => ({ action: 'create', path })) })
const site = (rkey: string, collection = 'place.sitehost.fs') =>
  ({ kind: 'site', did: alice, collection, rkey }) as const
const step = (...events: Extract<FirehoseFrame, { kind: 'step' }>['events']): FirehoseFrame => ({
  kind: 'step',
  number: 7,
  events,
})
const unreadable = problem('unreadable frame')
const malformed = problem('malformed event')

describe('a commit yields the events of our collections', () => {
  const facts: [string, object, FirehoseFrame][] = [
    ['nothing', {}, step()],
    ['one record', ops('place.sitehost.fs/blog'), step(site('blog'))],
    [
      'some of several, in their order',
      ops('app.bsky.feed.post/1', 'place.sitehost.fs/b', 'place.sitehost.subfs/a'),
      step(site('b'), site('a', 'place.sitehost.subfs')),
    ],
    ['collections with our prefix', ops('place.sitehost.fsx/a', 'place.sitehost/fs/a'), step()],
    [
      'paths without a key',
      ops('place.sitehost.fs', 'place.sitehost.fs/', 'place.sitehost.fsX', '/', ''),
      step(),
    ],
    [
      'keys that are none',
      ops(...['..', '.', 'a/b', 'a b', 'x'.repeat(513)].map((key) => `place.sitehost.fs/${key}`)),
      step(),
    ],
    ['operations that are none', { ops: [null, 1, {}, { path: 5 }, []] }, step()],
    ['200 operations', ops(...Array(200).fill('a.b.c/d')), step()],
    ['201 operations', ops(...Array(201).fill('a.b.c/d')), step({ kind: 'sync', did: alice })],
    ['too big to be listed', { tooBig: true }, step({ kind: 'sync', did: alice })],
    ['operations that are no list', { ops: 'place.sitehost.fs/a' }, malformed],
    ['no account', { repo: 5 }, malformed],
    [
      'an account of a kind that we do not read',
      { ...ops('place.sitehost.fs/a'), repo: 'did:key:zabc' },
      step(),
    ],
    [
      'an account at an address',
      { ...ops('place.sitehost.fs/a'), repo: 'did:web:localhost%3A80' },
      step(),
    ],
    ['a negative number', { seq: -1 }, malformed],
    ['a broken number', { seq: 1.5 }, malformed],
    ['no number', { seq: null }, malformed],
  ]
  test.each(facts)('%s', (_, body, expected) => expect(read(commit(body))).toEqual(expected))
})

test('a number beyond the safe integers is invalid', () => {
  const frame = Buffer.from(commit({ seq: 2 ** 53 - 1 }))
  const at = frame.indexOf(Buffer.from('001fffffffffffff', 'hex'))
  expect(read(frame)).toMatchObject({ kind: 'step', number: 2 ** 53 - 1 })
  frame.write('0020000000000000', at, 'hex')
  expect(read(frame).kind).toBe('problem')
})

describe('other messages', () => {
  const account = (facts: object) => message('#account', { seq: 7, did: bob, ...facts })
  const facts: [string, Uint8Array, FirehoseFrame][] = [
    ['an active account', account({ active: true }), step({ kind: 'account', did: bob })],
    [
      'an account that is away',
      account({ active: false, status: 'takendown' }),
      step({ kind: 'account', did: bob }),
    ],
    [
      'for a reason of the future',
      account({ active: false, status: 'on the moon' }),
      step({ kind: 'account', did: bob }),
    ],
    [
      'without saying which way',
      account({ status: 'deleted' }),
      step({ kind: 'account', did: bob }),
    ],
    [
      'an identity',
      message('#identity', { seq: 7, did: bob }),
      step({ kind: 'identity', did: bob }),
    ],
    ['an identity without an account', message('#identity', { seq: 7 }), malformed],
    [
      'a repository put right',
      message('#sync', { seq: 7, did: bob }),
      step({ kind: 'sync', did: bob }),
    ],
    ['a kind of the future', message('#future', { seq: 7 }), step()],
    ['a kind of the future without a number', message('#future', {}), malformed],
    ['a cursor that is outdated', infoFrame('OutdatedCursor'), { kind: 'outdated-cursor' }],
    ['another notice', infoFrame('Hello'), malformed],
    ['a cursor of the future', errorFrame('FutureCursor'), { kind: 'future-cursor' }],
    ['one of us', errorFrame('ConsumerTooSlow'), problem('too slow for the source')],
    ['another refusal', errorFrame('x'.repeat(1000)), problem('refused')],
    ['a refusal without a name', errorFrame(7), problem('refused')],
  ]
  test.each(facts)('%s', (_, frame, expected) => expect(read(frame)).toEqual(expected))
})

describe('invalid frames', () => {
  const facts: [string, unknown, FirehoseFrame][] = [
    ['a string', 'text', unreadable],
    ['nothing', new Uint8Array(), unreadable],
    ['bytes', new Uint8Array([0xff, 0xff]), unreadable],
    ['another operation', cborFrame({ op: 2 }, { seq: 7 }), unreadable],
    ['a type that is none', message(5, { seq: 7 }), unreadable],
    ['no body', Cbor.encode({ op: 1, t: '#commit' }), unreadable],
    ['a body that is none', message('#commit', null), unreadable],
    ['a body that is a list', message('#commit', [7]), malformed],
    ['a header that is none', cborFrame(1, { seq: 7 }), unreadable],
    [
      'nesting without end',
      Buffer.concat([cborFrame({ op: 1 }, 1).slice(0, -1), Buffer.alloc(200_000, 0x81)]),
      unreadable,
    ],
    ['one byte too many', new Uint8Array(frameBytesMax + 1), problem('frame too large')],
  ]
  test.each(facts)('%s', (_, frame, expected) => expect(read(frame)).toEqual(expected))

  test('a frame of the largest size is read', () => {
    const rest = commit({ filler: '' }).byteLength + 4 // a longer text has a longer length
    const frame = commit({ filler: 'x'.repeat(frameBytesMax - rest) })
    expect(frame.byteLength).toBe(frameBytesMax)
    expect(read(frame)).toEqual(step())
  })
  test('never throws', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => void read(bytes)))
    const value = fc.jsonValue()
    const body = fc.record({
      seq: fc.oneof(fc.nat(), value),
      repo: fc.oneof(fc.constant<unknown>(alice), value),
      did: fc.oneof(fc.constant<unknown>(alice), value),
      ops: fc.oneof(value, fc.array(fc.oneof(value, fc.record({ path: fc.string() })))),
      active: fc.oneof(fc.boolean(), value),
    })
    const type = fc.constantFrom('#commit', '#account', '#identity', '#sync', '#info', '#x')
    fc.assert(
      fc.property(type, body, (t, facts) => {
        expect(['step', 'problem', 'outdated-cursor']).toContain(read(integersOnly(t, facts)).kind)
      }),
    )
  })
})

/** This form of CBOR has no fractions; where one came up, any other frame will do. */
function integersOnly(type: string, body: unknown): Uint8Array {
  try {
    return message(type, body)
  } catch {
    return message(type, {})
  }
}

test('the address has the cursor, and what the operator put there', () => {
  const address = (url: string, cursor: number | null) =>
    subscribeRepos.address({ base: new URL(url), cursor, collections }).href
  expect(address('wss://relay.example/', null)).toBe(
    'wss://relay.example/xrpc/com.atproto.sync.subscribeRepos',
  )
  expect(
    address('wss://relay.example/xrpc/com.atproto.sync.subscribeRepos?key=k&cursor=1', 5),
  ).toBe('wss://relay.example/xrpc/com.atproto.sync.subscribeRepos?key=k&cursor=5')
})

test('frames of the test server are real ones', () => {
  const { frame, number } = reposCommit(7, alice, 'place.sitehost.fs/a')
  expect(read(frame)).toEqual(step(site('a')))
  expect(number).toBe(7)
})
