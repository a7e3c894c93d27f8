import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Identity } from '#atproto/identity/identity.ts'
import { CommitRecords } from '#atproto/repo/commit-records.ts'
import { RecentBlocks } from '#atproto/repo/recent-blocks.ts'
import { readWithProof } from '#atproto/repo/verified-record.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { alice } from '#tests/support/database/sample-rows.ts'
import {
  carOf,
  encodeRecord,
  type FakePds,
  linkOf,
  startFakePds,
} from '#tests/support/servers/fake-pds.ts'

const collection = 'place.sitehost.subfs'
const main = { collection: 'place.sitehost.fs', rkey: 'blog' }
const parts = 250

let pds: FakePds
let time: number
let recentBlocks: RecentBlocks
beforeEach(async () => {
  pds = await startFakePds(alice)
  await pds.putRecord('place.sitehost.fs/blog', { site: 'blog' })
  for (let n = 0; n < parts; n++) await pds.putRecord(`${collection}/part${n}`, { n })
  time = 0
  recentBlocks = new RecentBlocks(() => time)
})
afterEach(() => pds[Symbol.asyncDispose]())

const keyOf = (n: number) => ({ did: alice, collection, rkey: `part${n}` })
const all = Array.from({ length: parts }, (_, n) => keyOf(n))

/** Of the commit that there is now. */
async function commitNow(recent?: RecentBlocks): Promise<CommitRecords> {
  const keys = { signingKey: pds.key, signingMultikey: 'zKey' }
  const identity: Identity = { did: alice, claimedHandle: null, pds: pds.url, ...keys }
  const fetch = createSafeFetch({ allowPrivate: true })
  const { signal } = new AbortController()
  const { proof } = await readWithProof(main, identity, fetch, signal)
  return new CommitRecords(proof, identity, { fetch, signal, recentBlocks: recent })
}

/** By key: the record's `n`, `absent`, or null. */
async function read(commit: CommitRecords, keys = all): Promise<Map<string, unknown>> {
  const answers = await Array.fromAsync(commit.read(keys))
  return new Map(
    answers.map(([{ rkey }, answer]) => [
      rkey,
      answer && (answer.found ? (answer.record as { n: number }).n : 'absent'),
    ]),
  )
}

const everyPart: Map<string, unknown> = new Map(all.map(({ rkey }, n) => [rkey, n]))
const blocksAsked = () => pds.requests.filter((request) => request.startsWith('getBlocks')).length

test('many records take a few requests, and say which are absent', async () => {
  const answers = await read(await commitNow(), [...all, keyOf(parts), keyOf(parts + 1)])
  const absent = new Map<string, unknown>([parts, parts + 1].map((n) => [`part${n}`, 'absent']))
  expect(answers).toEqual(new Map<string, unknown>([...everyPart, ...absent]))
  expect(blocksAsked()).toBeLessThan(12)
})

test('each with its CID and the revision of its commit', async () => {
  const { rev } = pds
  const [[, answer] = []] = await Array.fromAsync((await commitNow()).read(all))
  const { $link } = await linkOf(encodeRecord({ n: 0 }))
  expect(answer).toMatchObject({ found: true, cid: $link, rev, problem: null })
})

test('what was read within a minute is not read again', async () => {
  await read(await commitNow(recentBlocks))
  pds.requests.length = 0
  time += 59_000
  expect(await read(await commitNow(recentBlocks))).toEqual(everyPart)
  expect(blocksAsked()).toBe(0)

  await pds.putRecord(`${collection}/part7`, { n: 'changed' })
  expect(await read(await commitNow(recentBlocks))).toEqual(
    new Map<string, unknown>([...everyPart, ['part7', 'changed']]),
  )
  expect(blocksAsked()).toBeLessThan(7)

  pds.requests.length = 0
  time += 61_000
  await read(await commitNow(recentBlocks))
  expect(blocksAsked()).toBeGreaterThan(3)
})

describe('has to be read alone,', () => {
  const nothing = new Map(all.map(({ rkey }) => [rkey, null]))

  test('of few records what the known nodes do not lead to', async () => {
    const few = all.slice(0, 7)
    const answers = await read(await commitNow(), few)
    expect([...answers.values()]).toContain(null)
    // For the others.
    expect(blocksAsked()).toBeLessThan(2)
  })
  test.each([
    [
      'does not know the method',
      () => Response.json({ error: 'MethodNotImplemented' }, { status: 501 }),
    ],
    ['sends no archive', () => new Response('<html>')],
    ['sends too much', () => new Response(new Uint8Array(9 * 1024 * 1024))],
    ['sends nothing', () => carOf({ root: null, blocks: new Map() })],
  ])('what comes from a server that %s; it is asked once', async (_, answer) => {
    pds.lies.blocks = answer
    expect(await read(await commitNow())).toEqual(nothing)
    expect(blocksAsked()).toBe(1)
  })
  test('what comes with other bytes than its CID says', async () => {
    pds.lies.blocks = (honest) => {
      const blocks = new Map([...honest].map(([cid]) => [cid, encodeRecord({ n: 'forged' })]))
      return carOf({ root: null, blocks })
    }
    expect(await read(await commitNow())).toEqual(nothing)
  })
  test('what the repository has no more', async () => {
    const before = await commitNow()
    for (const { rkey } of all) pds.deleteRecord(`${collection}/${rkey}`)
    expect(await read(before)).toEqual(nothing)
  })
})
