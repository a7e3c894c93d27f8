import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { accountOf, alice } from '#tests/support/database/sample-rows.ts'
import {
  type HostilePlace,
  repoOf,
  startHostilePlace,
} from '#tests/support/hostile/hostile-place.ts'
import { fileIn, manifest } from '#tests/support/hostile/hostile-rows.ts'
import { type FakePds, startFakePds } from '#tests/support/servers/fake-pds.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'
import { eventually } from '../support/eventually.ts'

// H16 to H18 and H21: what an account's server does to a service that runs.

const path = 'place.sitehost.fs/blog'
const drippingServers = 24

let place: HostilePlace
let longHeaders: Bun.TCPSocketListener
beforeAll(async () => {
  place = await startHostilePlace({ environment: { INGEST: 'all' } })
  longHeaders = Bun.listen({ port: 0, hostname: '127.0.0.1', socket: { data: sendLongHeaders } })
}, 120_000)
afterAll(async () => {
  longHeaders.stop(true)
  await place[Symbol.asyncDispose]()
})

/** A megabyte of them, which Bun's own server refuses to send. */
function sendLongHeaders(socket: Bun.Socket): void {
  const header = `x-filler: ${'y'.repeat(1000)}\r\n`
  socket.end(`HTTP/1.1 200 OK\r\n${header.repeat(1000)}content-length: 2\r\n\r\nhi`)
}

const show = (did = alice) => visit(pageUrl(place.app, did, 'blog'))
const problems = async () => (await place.problems()).get('blog')
async function write(text: string): Promise<void> {
  const node = await fileIn(place.repo, text)
  await place.repo.put(path, manifest('blog', [{ name: 'index.html', node }]))
}

let versions = 0
let live: string
beforeEach(async () => {
  live = `version ${++versions}`
  await write(live)
  await eventually(async () => expect(await show()).toBe(live))
})
afterEach(() => {
  for (const lie of Object.keys(place.pds.lies)) delete place.pds.lies[lie as 'blob']
})

type Lie = NonNullable<FakePds['lies']['blob']>
const forever = (chunk: Uint8Array<ArrayBuffer>): Response =>
  new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))

describe('a blob that is not what the record names: refused, told, and the old version stays', () => {
  const lies: [string, Lie][] = [
    [
      'H16 one byte flipped',
      (bytes) => new Response(bytes.map((byte, i) => (i === 2 ? byte ^ 1 : byte))),
    ],
    ['H16 shorter', (bytes) => new Response(bytes.slice(1))],
    ['H16 longer', (bytes) => new Response(new Uint8Array([...bytes, 0]))],
    [
      'H17 a page',
      () => new Response('<!doctype html>', { headers: { 'content-type': 'text/html' } }),
    ],
    ['H17 without an end', () => forever(new Uint8Array(10_000))],
  ]
  test.each(lies)('%s', async (_, lie) => {
    place.pds.lies.blob = lie
    await write('something better')
    await eventually(async () =>
      expect(await problems()).toEqual(['"index.html" is not what the record names']),
    )
    expect(await show()).toBe(live)
  })
})

describe('a blob that does not come: the old version stays, and it is tried again', () => {
  const lies: [string, Lie][] = [
    ['H17 a range', () => new Response('some', { status: 206 })],
    ['H17 a megabyte of headers', () => Response.redirect(`http://127.0.0.1:${longHeaders.port}/`)],
    [
      'H17 redirects without an end',
      (_, cid) => Response.redirect(`/xrpc/com.atproto.sync.getBlob?cid=${cid}`),
    ],
    ['H17 a failure', () => new Response('', { status: 500 })],
  ]
  test.each(lies)('%s', async (_, lie) => {
    place.pds.lies.blob = lie
    await write(`better than ${live}`)
    await place.settled()
    expect(await place.failures()).toHaveLength(1)
    expect(await show()).toBe(live)
    delete place.pds.lies.blob
    place.tell.commit(alice, path)
    await eventually(async () => expect(await show()).toBe(`better than ${live}`))
  })

  test('H18 a part that is missing, until it is there', async () => {
    const subject = `at://${alice}/place.sitehost.subfs/late`
    const node = { type: 'subfs', subject }
    await place.repo.put(path, manifest('blog', [{ name: 'x', node }]))
    await place.settled()
    expect(await place.failures()).toEqual([expect.stringContaining('part missing')])
    expect(await show()).toBe(live)
    const root = {
      type: 'directory',
      entries: [{ name: 'index.html', node: await fileIn(place.repo, 'whole') }],
    }
    const part = { $type: 'place.sitehost.subfs', root, createdAt: '2026-01-01T00:00:00.000Z' }
    await place.repo.put('place.sitehost.subfs/late', part)
    await eventually(async () => expect(await show()).toBe('whole'))
  })
})

// More than are read at once; the rate limit ends none of them before 30 seconds.
test('H17 many servers at a byte a second: what others publish is not behind them', async () => {
  await using servers = new AsyncDisposableStack()
  let dripping = 0
  for (let i = 0; i < drippingServers; i++) {
    const pds = servers.use(await startFakePds(accountOf(i)))
    place.pds.others.push(pds)
    pds.lies.blob = () => {
      dripping += 1
      return new Response(drip())
    }
    const repo = repoOf(pds, (at) => place.tell.commit(pds.did, at))
    const node = await fileIn(repo, 'x'.repeat(1_000_000))
    await repo.put(path, manifest('blog', [{ name: 'index.html', node }]))
  }
  await eventually(async () => expect(dripping).toBeGreaterThanOrEqual(16))
  await write('while they drip')
  await eventually(async () => expect(await show()).toBe('while they drip'), 20_000)
}, 120_000)

test('H21 an account that moved is read where it is now, and its old server is not believed', async () => {
  await using home = await startFakePds(alice)
  const node = { type: 'file', blob: home.addBlob('at home'), mimeType: 'text/html' }
  await home.putRecord(path, manifest('blog', [{ name: 'index.html', node }]))
  // Revisions of a repository go on when it moves.
  for (let i = 0; i < 200; i++) home.deleteRecord('none')
  place.pds.lies.document = () => home.document
  place.tell.identity(alice)
  await eventually(async () => expect(await show()).toBe('at home'))
  await write('at the old server')
  await place.settled()
  expect(await show()).toBe('at home')
})

/** A byte a second. */
function drip(): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      controller.enqueue(new Uint8Array(1))
      await Bun.sleep(1000)
    },
  })
}
