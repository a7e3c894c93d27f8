import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { siteUri } from '#site/site-address.ts'
import { parseSiteName } from '#site/site-name.ts'
import { alice, bob } from '#tests/support/database/sample-rows.ts'
import { manifest } from '#tests/support/hostile/hostile-rows.ts'
import {
  expectRefusal,
  type PullPlace,
  startPullPlace,
  type Within,
} from '#tests/support/hostile/pull-place.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'

// The table of hostile inputs, for `pull` and `verify`: account servers and hosts that lie.

let place: PullPlace
beforeAll(async () => {
  place = await startPullPlace()
})
afterAll(() => place[Symbol.asyncDispose]())
afterEach(() => {
  for (const lie of Object.keys(place.pds.lies)) delete place.pds.lies[lie as 'blob']
})

const forever = () =>
  new Response(
    new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10_000)) }),
  )

describe('an account server', () => {
  const slow = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
  /** As patient as the bounds of a real request, but by the millisecond. */
  const impatient: Within = (context) => ({
    ...context,
    fetch: createSafeFetch({
      allowPrivate: true,
      limits: { headersMs: 200, bytesPerSecondMin: 1e9 },
    }),
  })

  const blobs: readonly [string, NonNullable<FakePds['lies']['blob']>][] = [
    [
      'flips a byte',
      (bytes) => new Response(bytes.map((byte, at) => (at === 2 ? byte ^ 1 : byte))),
    ],
    ['sends one byte less', (bytes) => new Response(bytes.slice(1))],
    ['sends one byte more', (bytes) => new Response(new Uint8Array([...bytes, 0]))],
    ['sends a page', () => new Response('<!doctype html>')],
    ['sends a range', () => new Response('home', { status: 206 })],
    ['never ends', forever],
    ['begins and stops', slow],
    ['redirects', () => Response.redirect('http://127.0.0.1:1/')],
    ['fails', () => new Response('', { status: 500 })],
  ]
  test.each(blobs)('that, asked for a file, %s', async (_, lie) => {
    await place.put({ 'index.html': 'home' })
    place.pds.lies.blob = lie
    expectRefusal(await place.pull('blog', impatient))
  })

  const proofs: readonly [string, () => Promise<Uint8Array<ArrayBuffer> | Response>][] = [
    ['never ends', async () => forever()],
    ['begins and stops', async () => slow()],
    ['redirects', async () => Response.redirect('http://127.0.0.1:1/')],
    ['sends a page', async () => new Response('<!doctype html>')],
  ]
  test.each(proofs)('that, asked for a record, %s', async (_, lie) => {
    await place.put({ 'index.html': 'home' })
    place.pds.lies.proof = lie
    const end = await place.pull('blog', impatient)
    expectRefusal(end)
    expect(end.complaints).toContain(`The server of ${alice}`)
  })

  test('that sends the records of another account, or signed by it', async () => {
    await using other = await startFakePds(bob)
    const blob = other.addBlob('of Bob')
    const node = { type: 'file', blob, mimeType: 'text/html' }
    const record = manifest('blog', [{ name: 'index.html', node }])
    await other.putRecord('place.sitehost.fs/blog', record)
    const ofBob = `/xrpc/com.atproto.sync.getRecord?did=${bob}&collection=place.sitehost.fs&rkey=blog`
    place.pds.lies.proof = () => fetch(other.url + ofBob)
    const unsigned = `The server of ${alice} sent records that its owner has not signed`
    expect((await place.pull('blog')).complaints).toContain(unsigned)
    const url = 'http://mirror.invalid/'
    const name = parseSiteName('blog')
    const shown = name && siteUri({ did: alice, name })
    const hosted: Within = (context) => ({
      ...context,
      fetch: async (input, init) =>
        String(input) === url
          ? new Response('of Bob', { headers: { 'x-sitehost-record': `${shown}` } })
          : await context.fetch(input, init),
    })
    const verified = await place.run(['verify', url], hosted)
    expect(verified).toMatchObject({ code: 1, said: [] })
    expect(verified.complaints).toContain(unsigned)
  })
})

test('a host that does not say whose record it shows is told by verify and explain in their own words', async () => {
  using host = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  const sentence = `${host.url.host} does not say whose record this is.`
  const verified = await place.run(['verify', String(host.url)])
  expect(verified.complaints).toStartWith(`Not verified: ${sentence}`)
  const explained = await place.run(['explain', String(host.url)])
  expect(explained.complaints).toStartWith(sentence)
})

test('a host whose page never ends is not read beyond the largest file', async () => {
  using host = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: forever })
  const end = await place.run(['verify', String(host.url)], (context) => ({
    ...context,
    limits: { ...context.limits, fileBytesMax: 100_000 },
  }))
  expect(end).toMatchObject({ code: 1, said: [] })
  expect(end.complaints).toContain('did not answer')
})

test('a host that redirects the page to verify to a private one: that is not asked', async () => {
  const asked: string[] = []
  // As outside of development.
  const fetch = createSafeFetch({
    resolve: async (name) => [name === 'private.example' ? '127.0.0.1' : '93.184.216.34'],
    connect: async (request) => {
      asked.push(new URL(request.url).hostname)
      return new Response('', { status: 302, headers: { location: 'https://private.example/' } })
    },
  })
  const within: Within = (context) => ({ ...context, fetch })
  const end = await place.run(['verify', 'https://public.example/'], within)
  expect(end).toMatchObject({ code: 1, said: [] })
  expect(end.complaints).toContain('private.example did not answer')
  expect(asked).toEqual(['93.184.216.34'])
})
