import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { alice } from '#tests/support/database/sample-rows.ts'
import {
  jetstreamAccount,
  jetstreamCommit,
  jetstreamIdentity,
} from '#tests/support/servers/jetstream-server.ts'
import { type FirehoseFrame, problem } from './firehose-format.ts'
import { frameCharsMax, jetstream } from './jetstream.ts'

const timeUs = 1_800_000_000_000_000
const collections = new Set(['place.sitehost.fs', 'place.sitehost.subfs'])
const read = (data: unknown) => jetstream.read(data, collections)
const event = (facts: object) => JSON.stringify({ did: alice, time_us: timeUs, ...facts })
const step = (...events: Extract<FirehoseFrame, { kind: 'step' }>['events']): FirehoseFrame => ({
  kind: 'step',
  number: timeUs,
  events,
})
const unreadable = problem('unreadable frame')
const malformed = problem('malformed event')
const commit = (facts: object) => event({ kind: 'commit', commit: facts })
const record = { collection: 'place.sitehost.fs', rkey: 'blog' }
/** A record of this, again and again, in a frame of so many characters at most. */
const filled = (chars: number, unit: string): string => {
  const empty = commit({ ...record, record: { a: [''] } })
  const count = Math.floor((chars - empty.length) / unit.length)
  return empty.replace('[""]', `["${unit.repeat(count)}"]`)
}

describe('a frame', () => {
  const facts: [string, unknown, FirehoseFrame][] = [
    ['a record', commit(record), step({ kind: 'site', did: alice, ...record })],
    [
      'a record that was removed',
      commit({ ...record, operation: 'delete' }),
      step({ kind: 'site', did: alice, ...record }),
    ],
    [
      'a collection with our prefix',
      commit({ ...record, collection: 'place.sitehost.fsx' }),
      step(),
    ],
    ['a key that is none', commit({ ...record, rkey: '..' }), step()],
    ['no key', commit({ collection: 'place.sitehost.fs' }), step()],
    ['a commit that is none', event({ kind: 'commit', commit: 'x' }), malformed],
    ['a commit without an account', event({ did: 5, kind: 'commit', commit: record }), malformed],
    [
      'an account of a kind that we do not read',
      event({ did: 'did:key:z', kind: 'commit', commit: record }),
      step(),
    ],
    [
      'an account that is away',
      jetstreamAccount(timeUs, alice, { active: false, status: 'deactivated' }).frame,
      step({ kind: 'account', did: alice }),
    ],
    [
      'an account that is back',
      jetstreamAccount(timeUs, alice, { active: true }).frame,
      step({ kind: 'account', did: alice }),
    ],
    [
      'an account that says nothing',
      event({ kind: 'account' }),
      step({ kind: 'account', did: alice }),
    ],
    ['an account event without an account', event({ did: 5, kind: 'account' }), malformed],
    ['an identity', jetstreamIdentity(timeUs, alice).frame, step({ kind: 'identity', did: alice })],
    ['a kind of the future', event({ kind: 'label' }), step()],
    ['no kind', event({}), malformed],
    ['a negative time', event({ kind: 'label', time_us: -1 }), malformed],
    ['a broken time', event({ kind: 'label', time_us: 1.5 }), malformed],
    ['a time beyond reach', event({ kind: 'label', time_us: 1e300 }), malformed],
    ['a time as text', event({ kind: 'label', time_us: '5' }), malformed],
    ['bytes', Buffer.from(commit(record)), unreadable],
    ['no JSON', '{', unreadable],
    ['no object', '5', unreadable],
    ['null', 'null', unreadable],
    ['nesting without end', '['.repeat(1_000_000), unreadable],
    ['one character too many', ' '.repeat(frameCharsMax + 1), problem('frame too large')],
    ['the largest', filled(frameCharsMax, 'x'), step({ kind: 'site', did: alice, ...record })],
    [
      'a record of as many lists as have room',
      filled(frameCharsMax, '",[],"'),
      step({ kind: 'site', did: alice, ...record }),
    ],
    [
      'a record of whatever is no JSON',
      commit({ ...record, record: {} }).replace('{}', '[{],,"\\"]"}'),
      step({ kind: 'site', did: alice, ...record }),
    ],
    ['more than an event outside of the record', filled(frameCharsMax, '"]},"x":"'), unreadable],
    ['a record that does not end', commit({ ...record, record: [] }).replace(']', '['), unreadable],
  ]
  test.each(facts)('%s', (_, data, expected) => expect(read(data)).toEqual(expected))

  test('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.anything()), (data) => void read(data)),
    )
    const value = fc.jsonValue()
    const kind = fc.oneof(fc.constantFrom('commit', 'account', 'identity'), value)
    const facts = fc.record({
      did: fc.oneof(fc.constant<unknown>(alice), value),
      kind,
      commit: value,
      account: value,
    })
    fc.assert(
      fc.property(facts, (body) => {
        expect(['step', 'problem']).toContain(read(event(body)).kind)
      }),
    )
  })
  test("the test server's frames are real ones", () => {
    expect(read(jetstreamCommit(timeUs, alice, 'place.sitehost.fs/blog').frame)).toEqual(
      step({ kind: 'site', did: alice, ...record }),
    )
  })
})

describe('the address', () => {
  const address = (url: string, cursor: number | null) =>
    jetstream.address({ base: new URL(url), cursor, collections })
  const wanted = 'wantedCollections=place.sitehost.fs&wantedCollections=place.sitehost.subfs'

  test('names the collections', () => {
    expect(address('wss://jet.example/subscribe', null).href).toBe(
      `wss://jet.example/subscribe?${wanted}`,
    )
  })
  test("keeps the operator's parameters, except those that we set", () => {
    expect(
      address(
        'wss://jet.example/subscribe?key=k&compress=true&maxMessageSizeBytes=9&requireHello=true&wantedCollections=x&cursor=1',
        null,
      ).search,
    ).toBe(`?key=k&${wanted}`)
  })
  test('begins ten seconds before the cursor, and not before time', () => {
    const cursorOf = (cursor: number) =>
      address('wss://jet.example/subscribe', cursor).searchParams.get('cursor')
    expect(cursorOf(timeUs)).toBe(String(timeUs - 10_000_000))
    expect(cursorOf(5)).toBe('0')
  })
})

describe('a cursor of the future', () => {
  const now = timeUs / 1000
  const facts: [string, number, boolean][] = [
    ['a past one', timeUs - 1, false],
    ['by a clock that is five minutes ahead', timeUs + 300_000_000, false],
    ['by a microsecond more', timeUs + 300_000_001, true],
  ]
  test.each(facts)('%s', (_, cursor, expected) =>
    expect(jetstream.isFuture(cursor, now)).toBe(expected),
  )
})
