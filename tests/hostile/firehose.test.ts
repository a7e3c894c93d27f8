import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { alice } from '#tests/support/database/sample-rows.ts'
import { type HostilePlace, startHostilePlace } from '#tests/support/hostile/hostile-place.ts'
import { fileIn, manifest } from '#tests/support/hostile/hostile-rows.ts'
import { jetstreamEvent } from '#tests/support/servers/jetstream-server.ts'
import {
  cborFrame,
  errorFrame,
  reposCommit,
  reposEvent,
} from '#tests/support/servers/repos-server.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'
import { eventually } from '../support/eventually.ts'

// H19 and H20: what a firehose says that is none, or says in the wrong order.

const path = 'place.sitehost.fs/blog'
const random = (bytes: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(bytes))

let place: HostilePlace
/** For the tests of a group: what one of them has told makes no difference to the next. */
function onPlace(source: 'relay' | 'jetstream'): void {
  beforeAll(async () => {
    place = await startHostilePlace({ source })
  }, 120_000)
  afterAll(() => place[Symbol.asyncDispose]())
}

const show = (site = 'blog') => visit(pageUrl(place.app, alice, site))
async function write(text: string): Promise<void> {
  const node = await fileIn(place.repo, text)
  await place.repo.put(path, manifest('blog', [{ name: 'index.html', node }]))
  await eventually(async () => expect(await show()).toBe(text))
}

/** That the service goes on with what comes next, and has asked nobody about what came before. */
async function goesOn(hostile: () => void): Promise<void> {
  await write('before')
  await place.settled()
  place.pds.requests.length = 0
  hostile()
  await place.settled()
  expect(place.pds.requests.filter((request) => !request.endsWith('/not-there'))).toEqual([])
  await write('after')
  expect(place.events.connections).toHaveLength(1)
}

describe('H19 by a relay', () => {
  onPlace('relay')

  const frames: [string, readonly Uint8Array[]][] = [
    ['random bytes', Array.from({ length: 300 }, (_, i) => random(i))],
    [
      'collections with our prefix',
      ['place.sitehost.fsx', 'place.sitehost.fs.x', 'place.sitehost', 'app.bsky.feed.post'].map(
        (collection) => reposCommit(1, alice, `${collection}/blog`).frame as Uint8Array,
      ),
    ],
    [
      'keys that are none',
      ['..', '.', '', 'a/b', 'a b', 'x'.repeat(513), '\0', 'é'].map(
        (key) => reposCommit(1, alice, `place.sitehost.fs/${key}`).frame as Uint8Array,
      ),
    ],
    [
      'numbers that are none',
      [-1, -(2 ** 53) + 1, 1.5, '5', null, undefined].map((seq) =>
        cborFrame({ op: 1, t: '#commit' }, { ...commitFacts, ...(seq !== undefined && { seq }) }),
      ),
    ],
    ['paths that are none', [reposCommit(1, alice, 5, null, {}, [], 'x', '/').frame as Uint8Array]],
    ['failures', [errorFrame('ConsumerTooSlow'), errorFrame({}), errorFrame('\r\nSet-Cookie: x')]],
    [
      'lists that are said to be endless',
      [new Uint8Array([...cborFrame({ op: 1, t: '#commit' }, 0).slice(0, -1), ...endless()])],
    ],
  ]
  test.each(frames)('%s: skipped', (_, sent) =>
    goesOn(() => {
      for (const frame of sent) place.events.send(frame)
    }),
  )

  test('a number that went back: the cursor does not', async () => {
    for (let i = 0; i < 5; i++) place.tell.commit(alice, path)
    await write('before')
    await place.settled()
    const { cursor } = await cursorNow()
    place.events.send(reposCommit(1, alice, path).frame)
    await eventually(async () => expect(place.pds.requests.length).toBeGreaterThan(0))
    await place.settled()
    expect((await cursorNow()).cursor).toBeGreaterThanOrEqual(cursor)
  })

  test('201 writes in one commit: the account is looked at as a whole', async () => {
    await write('before')
    await place.settled()
    place.pds.requests.length = 0
    const ops = Array.from({ length: 201 }, (_, i) => `place.sitehost.fs/made-up-${i}`)
    place.events.send(reposCommit(1, alice, ...ops).frame)
    await eventually(async () => expect(place.pds.requests.join()).toContain('listRecords'))
    await place.settled()
    expect(place.pds.requests.join()).not.toContain('made-up')
    expect(await show()).toBe('before')
  })

  test('200 writes in one commit: each is looked at', async () => {
    await write('before')
    const ops = Array.from({ length: 200 }, (_, i) => `place.sitehost.fs/made-up-${i}`)
    place.events.send(reposCommit(1, alice, ...ops).frame)
    await place.settled()
    const asked = new Set(place.pds.requests.filter((one) => one.includes('fs/made-up-')))
    expect(asked.size).toBe(200)
    expect((await place.problems()).size).toBe(1)
  }, 120_000)
})

describe('H19 by a Jetstream', () => {
  onPlace('jetstream')

  const commit = { collection: 'place.sitehost.fs', rkey: 'blog', operation: 'create' }
  const told = (facts: object): string =>
    jetstreamEvent(1, { did: alice, ...facts }).frame as string
  const frames: [string, readonly (string | Uint8Array)[]][] = [
    ['random bytes', Array.from({ length: 300 }, (_, i) => random(i))],
    [
      'random text',
      Array.from({ length: 300 }, (_, i) => Buffer.from(random(i)).toString('latin1')),
    ],
    [
      'collections with our prefix',
      ['place.sitehost.fsx', 'place.sitehost', 'app.bsky.feed.post'].map((collection) =>
        told({ kind: 'commit', commit: { ...commit, collection } }),
      ),
    ],
    [
      'keys that are none',
      ['..', '.', '', 'a/b', 5, null].map((rkey) =>
        told({ kind: 'commit', commit: { ...commit, rkey } }),
      ),
    ],
    [
      'times that are none',
      [-1, 1.5, '5', null, 1e300].map((time) => told({ kind: 'commit', commit, time_us: time })),
    ],
    ['a commit without its facts', [told({ kind: 'commit' })]],
    ['lists in lists', ['['.repeat(1_000_000)]],
  ]
  test.each(frames)('%s: skipped', (_, sent) =>
    goesOn(() => {
      for (const frame of sent) place.events.send(frame)
    }),
  )
})

describe('H20 by a relay', () => {
  onPlace('relay')

  test('H20 a site that is deleted and made anew, told in every order: the newest revision is live', async () => {
    await write('the first')
    place.pds.deleteRecord(path)
    place.tell.commit(alice, path)
    await eventually(async () => expect(await show()).toBe(404))
    await write('the last')
    // All of it once more, backwards and by halves.
    for (const at of [3, 2, 1, 2, 3, 1]) place.events.send(reposCommit(at, alice, path, path).frame)
    place.events.send(reposEvent('#sync', 1, { did: alice }).frame)
    await place.settled()
    expect(await show()).toBe('the last')
  })
})

const commitFacts = { repo: alice, rev: '3kaaaaaaaaaa2', ops: [{ action: 'create', path }] }

const cursorNow = () => place.db.selectFrom('firehoseCursors').selectAll().executeTakeFirstOrThrow()

/** A list that is said to have four billion elements. */
const endless = (): readonly number[] => [0x9a, 255, 255, 255, 255, ...random(1000)]
