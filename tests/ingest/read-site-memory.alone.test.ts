import { heapStats } from 'bun:jsc'
import { expect, test } from 'bun:test'
import { setImmediate } from 'node:timers/promises'
import { readSite } from '#ingest/read/read-site.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { alice, siteOf } from '#tests/support/database/sample-rows.ts'
import { carOf, encodeRecord, proofOf, startFakePds } from '#tests/support/servers/fake-pds.ts'

const sitesMax = 8
const junkMax = 60_000
const collections = 5
const sitePath = 'place.sitehost.fs/blog'

test.each([
  ['a part', 'place.sitehost.subfs/3kaaaaaaaaaa2'],
  ['the settings', 'place.sitehost.settings/blog'],
])(
  'while %s is waited for, nothing is held that nobody reads',
  async (_, awaited) => {
    await using pds = await startFakePds(alice)
    const subject = `at://${alice}/place.sitehost.subfs/3kaaaaaaaaaa2`
    const manifest = {
      $type: 'place.sitehost.fs',
      site: 'blog',
      createdAt: '2026-01-01T00:00:00.000Z',
      root: { type: 'directory', entries: [{ name: 'p', node: { type: 'subfs', subject } }] },
      junk: Array.from({ length: junkMax }, (_, i) => ({ [`k${i}`]: i })),
    }
    await pds.putRecord(sitePath, encodeRecord(manifest))
    // So many that the proof of the manifest does not tell of the settings.
    for (let n = 0; n < 200; n++) await pds.putRecord(`place.sitehost.note/${n}`, {})
    const waiting = Promise.withResolvers<void>()
    const never = Promise.withResolvers<Response>()
    let asked = 0
    pds.lies.proof = async (honest) => {
      if (honest.path !== awaited) return await carOf(await proofOf(honest))
      if (++asked === sitesMax) waiting.resolve()
      return await never.promise
    }
    const stop = new AbortController()
    const keys = { signingKey: pds.key, signingMultikey: 'zKey' }
    const identity = { did: alice, claimedHandle: null, pds: pds.url, ...keys }
    const context = {
      fetch: createSafeFetch({ allowPrivate: true, perHost: { max: sitesMax, waitingMax: 0 } }),
      signal: stop.signal,
    }
    const objectsBefore = await objects()
    const readings = Array.from({ length: sitesMax }, () =>
      readSite(siteOf('blog'), identity, context),
    )
    await waiting.promise
    const held = (await objects()) - objectsBefore
    stop.abort()
    never.resolve(new Response(''))
    await Promise.allSettled(readings)
    expect(held).toBeLessThan(2 * junkMax)
  },
  30_000,
)

/**
 * How many objects are held. The collector also keeps what an old word on the stack or in a register happens to point at, a whole
 * record at times: what is held is held in each of several turns of the event loop, such a word is overwritten.
 */
async function objects(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let turn = 0; turn < collections; turn++) {
    await setImmediate()
    Bun.gc(true)
    least = Math.min(least, heapStats().objectCount)
  }
  return least
}
