import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { P256PrivateKeyExportable } from '@atcute/crypto'
import { Identities } from '#atproto/identity/identity.ts'
import { ProofError, RecordUnavailableError } from '#atproto/repo/verified-record.ts'
import { diskBlobStore } from '#blobs/disk.ts'
import { Lane } from '#concurrency/lane.ts'
import { BlobUnavailableError } from '#ingest/blobs/fetch-blob.ts'
import { type IngestOutcome, ingestSite } from '#ingest/ingest-site.ts'
import { createSafeFetch, FetchLimitError } from '#outbound/safe-fetch.ts'
import { quickInflatedBytesMax, ruleFileBytesMax, snapshotBytesMax } from '#site/limits.ts'
import { decodeSnapshot, type Snapshot } from '#site/visit/snapshot.ts'
import { upsertAccount } from '#store/accounts/accounts.ts'
import type { Database } from '#store/database/database.ts'
import { WakeUps } from '#store/database/wake-ups.ts'
import { putTakedown } from '#store/moderation/takedowns.ts'
import { findSite } from '#store/sites/sites.ts'
import { memoryDatabase } from '#tests/support/database/databases.ts'
import { alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import { ingestMemory } from '#tests/support/publishing/ingest-place.ts'
import { carOf, type FakePds, proofOf, startFakePds } from '#tests/support/servers/fake-pds.ts'
import { hollowGzip } from '#tests/support/servers/hollow-gzip.ts'
import { findServedSite } from '#tests/support/visitors/find-served-site.ts'
import { type LoggedLine, recordingLog } from '../support/api.ts'

const path = 'place.sitehost.fs/blog'
const settingsPath = 'place.sitehost.settings/blog'

let dir: string
let database: Database
let pds: FakePds
let identities: Identities
let memory: ReturnType<typeof ingestMemory>
beforeEach(async () => {
  memory = ingestMemory()
  dir = await mkdtemp(join(tmpdir(), 'ingest-'))
  database = await memoryDatabase()
  await upsertAccount(database.db, { did: alice }, 1)
  pds = await startFakePds(alice)
  const fetch = createSafeFetch({ allowPrivate: true })
  identities = new Identities({ fetch, plcUrl: pds.url, allowHttp: true })
})
afterEach(async () => {
  await pds[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})

interface Options {
  readonly limits?: { fileBytesMax: number; siteBytesMax: number }
  readonly signal?: AbortSignal
  readonly lane?: Lane
}

const logged: LoggedLine[] = []

async function ingest(options: Options = {}): Promise<IngestOutcome> {
  return await ingestSite(siteOf('blog'), {
    db: database.db,
    blobs: diskBlobStore({ dir }),
    wakeUps: new WakeUps(),
    log: recordingLog(logged),
    identities,
    fetch: createSafeFetch({ allowPrivate: true }),
    limits: { fileBytesMax: 10_000, siteBytesMax: 20_000 },
    now: Date.now,
    signal: new AbortController().signal,
    ...memory,
    ...options,
  })
}

type Node = Record<string, unknown>
const file = (content: string | Uint8Array, facts: Node = {}): Node => ({
  type: 'file',
  blob: pds.addBlob(content),
  mimeType: 'text/html',
  ...facts,
})
const manifest = (files: Record<string, Node>, facts: Node = {}): object => ({
  $type: 'place.sitehost.fs',
  site: 'blog',
  root: {
    type: 'directory',
    entries: Object.entries(files).map(([name, node]) => ({ name, node })),
  },
  createdAt: '2026-01-01T00:00:00.000Z',
  ...facts,
})
const put = (files: Record<string, Node>, facts?: Node) =>
  pds.putRecord(path, manifest(files, facts))

async function liveSnapshot(): Promise<Snapshot | null> {
  const served = await findServedSite(database.db, siteOf('blog'))
  return served && decodeSnapshot(served.snapshot)
}

/** The live version's files, each with its decoded size and what it is served as. */
async function live(): Promise<Record<string, string> | null> {
  const snapshot = await liveSnapshot()
  if (snapshot === null) return null
  return Object.fromEntries(
    [...snapshot.files].map(([at, { bytes, coding, contentType }]) => [
      at,
      `${bytes} ${coding} ${contentType}`,
    ]),
  )
}

async function problems(): Promise<readonly string[] | undefined> {
  return (await findSite(database.db, siteOf('blog')))?.refused?.problems
}

const fetches = (): string[] => pds.requests.filter((request) => request.startsWith('getBlob'))

/** That `ingest` refuses the version with a problem like this one, and the old one stays live. */
async function refuses(problem: string, options?: Options): Promise<void> {
  const before = await live()
  expect(await ingest(options)).toBe('refused')
  expect((await problems())?.join('; ')).toContain(problem)
  expect(await live()).toEqual(before)
}

test('a site goes live, in whatever form its files are', async () => {
  const page = '<h1>hello</h1>'.repeat(30)
  const zipped = gzipSync(page)
  const cid = await put({
    'index.html': file(page),
    'zipped.html': file(zipped, { encoding: 'gzip' }),
    'text.html': file(Buffer.from(page).toString('base64'), { base64: true }),
    'both.html': file(zipped.toString('base64'), { encoding: 'gzip', base64: true }),
    'empty.txt': file('', { mimeType: 'text/plain' }),
  })
  expect(await ingest()).toBe('went-live')
  expect(await live()).toEqual({
    'both.html': '420 gzip text/html; charset=utf-8',
    'empty.txt': '0 identity text/plain; charset=utf-8',
    'index.html': '420 identity text/html; charset=utf-8',
    'text.html': '420 identity text/html; charset=utf-8',
    'zipped.html': '420 gzip text/html; charset=utf-8',
  })
  expect(await findSite(database.db, siteOf('blog'))).toMatchObject({ live: { recordCid: cid } })
})

describe('seen again it costs no blob, and one look', () => {
  const looks = async (): Promise<string[]> => {
    pds.requests.length = 0
    expect(await ingest()).toBe('already-live')
    return pds.requests
  }
  beforeEach(async () => {
    await put({ 'index.html': file('one') })
  })

  test('at its manifest, whose proof says that there are no settings', async () => {
    await ingest()
    expect(await looks()).toEqual([`getRecord ${path}`])
  })
  test('at each of its records, when there are settings', async () => {
    await pds.putRecord(settingsPath, { cleanUrls: true })
    await ingest()
    expect(await looks()).toEqual([`getRecord ${path}`, `getRecord ${settingsPath}`])
  })
})

test('the same blob is fetched once, however often it is named', async () => {
  await put({ a: file('same'), b: file('same'), c: file('other') })
  await ingest()
  expect(fetches()).toHaveLength(2)
  await put({ a: file('same'), d: file('new') })
  expect(await ingest()).toBe('went-live')
  expect(fetches()).toHaveLength(3)
})

test('one blob read in two ways is two files', async () => {
  const zipped = gzipSync('hello')
  await put({ 'page.html': file(zipped, { encoding: 'gzip' }), 'page.gz': file(zipped) })
  await ingest()
  expect(await live()).toMatchObject({ 'page.html': '5 gzip text/html; charset=utf-8' })
  expect(fetches()).toHaveLength(2)
})

test('its lane is told once when the blobs are or inflate to more than quick work may', async () => {
  const limits = { fileBytesMax: 1e8, siteBytesMax: 1e8 }
  const zeros = (bytes: number) => file(gzipSync(Buffer.alloc(bytes)), { encoding: 'gzip' })
  const half = quickInflatedBytesMax / 2
  const timesTold = async (files: Record<string, Node>): Promise<number> => {
    let told = 0
    const lane = new Lane({ onSlow: () => void told++ })
    await put(files)
    expect(await ingest({ limits, lane })).toBe('went-live')
    return told
  }
  expect(await timesTold({ a: zeros(half - 1), b: zeros(half) })).toBe(0)
  expect(await timesTold({ a: zeros(half - 2), b: zeros(half + 3) })).toBe(1)
  expect(await timesTold({ a: file('a'.repeat(2 * half + 1)) })).toBe(0)
  expect(await timesTold({ a: zeros(2 * half + 1), b: zeros(1) })).toBe(1)
  const hollow = (emptyBytes: number) =>
    file(hollowGzip(Buffer.alloc(half), emptyBytes), { encoding: 'gzip' })
  expect(await timesTold({ a: hollow(half - 1_000) })).toBe(0)
  expect(await timesTold({ a: hollow(half) })).toBe(1)
})

test('a blob that was lost here is fetched again', async () => {
  await put({ a: file('kept') })
  await ingest()
  for (const folder of await readdir(dir)) await rm(join(dir, folder), { recursive: true })
  await put({ a: file('kept'), b: file('new') })
  expect(await ingest()).toBe('went-live')
  expect(fetches()).toHaveLength(3)
})

test('what was taken offline here is not fetched, and goes when its owner removes it', async () => {
  await put({ a: file('kept') })
  await ingest()
  for (const folder of await readdir(dir)) await rm(join(dir, folder), { recursive: true })
  const { did, name } = siteOf('blog')
  await putTakedown(database.db, { did, site: name, status: 451, reason: 'x', actor: 'x', at: 1 })
  expect(await ingest()).toBe('taken-down')
  expect([fetches().length, await readdir(dir)]).toEqual([1, []])
  pds.deleteRecord(path)
  expect(await ingest()).toBe('removed')
})

test('a record that is proven to be gone takes its site with it', async () => {
  await put({ a: file('x') })
  await ingest()
  pds.deleteRecord(path)
  expect(await ingest()).toBe('removed')
  expect(await live()).toBeNull()
})

test('a site never heard of and not there is no error', async () => {
  expect(await ingest()).toBe('removed')
})

describe('a version is refused, and the old one stays live', () => {
  beforeEach(async () => {
    await put({ 'index.html': file('good') })
    await ingest()
  })

  test('that is no manifest', async () => {
    await pds.putRecord(path, { $type: 'place.sitehost.fs', site: 'blog' })
    await refuses('the root is not a directory')
  })
  test('of another site', async () => {
    await put({ a: file('x') }, { site: 'other' })
    await refuses('"site" is not the record key')
  })
  test('over 1 MiB', async () => {
    await put({ a: file('x') }, { note: 'x'.repeat(1024 * 1024) })
    await refuses('larger than 1048576 bytes')
  })
  test('that is not DAG-CBOR', async () => {
    await pds.putRecord(path, new Uint8Array([0xff]))
    await refuses('not DAG-CBOR')
  })
  test('nested 100 000 deep', async () => {
    await pds.putRecord(path, new Uint8Array([...Buffer.alloc(100_000, 0x81), 0x80]))
    await refuses('more than 200 levels of nesting')
  })
  for (const [what, facts] of [
    ['gzip that is none', { encoding: 'gzip' }],
    ['base64 that is none', { base64: true }],
  ] as const) {
    test(`with ${what}`, async () => {
      await put({ 'bad.html': file('<p>', facts), 'ok.html': file('ok') })
      await refuses('"bad.html" is not the')
    })
  }
  for (const [what, lie] of [
    ['one bit flipped', (bytes: Uint8Array) => Buffer.from(bytes).fill(0, 0, 1)],
    ['a byte short', (bytes: Uint8Array) => bytes.slice(1)],
    ['a byte long', (bytes: Uint8Array) => Buffer.concat([bytes, Buffer.from('x')])],
    ['much too long', () => Buffer.alloc(1_000_000)],
    ['nothing', () => new Uint8Array()],
    ['a page about an error', () => Buffer.from('<!doctype html>Sorry')],
  ] as const) {
    test(`with a blob that comes with ${what}`, async () => {
      await put({ 'new.html': file('something new') })
      pds.lies.blob = (bytes) => new Response(new Uint8Array(lie(bytes)))
      await refuses('"new.html" is not what the record names')
    })
  }
  test('with a blob without an end', async () => {
    await put({ 'new.html': file('something new') })
    const endless = () =>
      new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10_000)) })
    pds.lies.blob = () => new Response(endless())
    await refuses('"new.html" is not what the record names')
  })
  test('with a file over the limit, which is not fetched', async () => {
    await put({ 'big.html': file('x'.repeat(10_001)) })
    await refuses('"big.html" is larger than 10000 bytes')
    expect(fetches()).toHaveLength(1)
  })
  test('with a file over the limit when it is unpacked', async () => {
    await put({ 'big.html': file(gzipSync('x'.repeat(10_001)), { encoding: 'gzip' }) })
    await refuses('"big.html" is larger than 10000 bytes')
  })
  test('with a site over the limit, of which nothing is fetched', async () => {
    const files = ['a', 'b', 'c'].map((name) => [name, file(name.repeat(7_000))] as const)
    await put(Object.fromEntries(files))
    await refuses('the site is larger than 20000 bytes')
    expect(fetches()).toHaveLength(1)
  })
  test('with a site over the limit when it is unpacked, which is not fetched to its end', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `${i}`)
    const bomb = (name: string) => file(gzipSync(`${name} `.repeat(2_000)), { encoding: 'gzip' })
    await put(Object.fromEntries(names.map((name) => [name, bomb(name)])))
    await refuses('the site is larger than 20000 bytes')
    expect(fetches().length).toBeLessThan(15)
  })
  test('with a site over the limit by naming one blob often', async () => {
    await put({
      a: file('x'.repeat(9_000)),
      b: file('x'.repeat(9_000)),
      c: file('x'.repeat(9_000)),
    })
    await refuses('the site is larger than 20000 bytes')
  })
  test('with many bad blobs: the first problems tell', async () => {
    const files = Array.from({ length: 60 }, (_, i) => [`${i}`, file(`${i}`, { encoding: 'gzip' })])
    await put(Object.fromEntries(files))
    await refuses('is not the gzip stream')
    expect((await problems())?.length).toBeLessThan(25)
  })
})

/** What the owner is told of the version that visitors see. */
async function toMend(): Promise<readonly string[] | undefined> {
  return (await findSite(database.db, siteOf('blog')))?.live?.problems
}

describe('settings', () => {
  test('go live with the manifest, and by themselves', async () => {
    await put({ a: file('x') })
    await pds.putRecord(settingsPath, { cleanUrls: true })
    expect(await ingest()).toBe('went-live')
    expect(await liveSnapshot()).toMatchObject({ settings: { cleanUrls: true } })
    await pds.putRecord(settingsPath, { custom404: 'oops.html' })
    expect(await ingest()).toBe('went-live')
    const $type = 'place.sitehost.settings'
    expect((await liveSnapshot())?.settings).toEqual({ $type, custom404: 'oops.html' })
    pds.deleteRecord(settingsPath)
    expect(await ingest()).toBe('went-live')
    expect((await liveSnapshot())?.settings).toBeNull()
  })

  test('that are wrong are a problem to mend; the site is shown without them', async () => {
    await put({ a: file('x') })
    await pds.putRecord(settingsPath, { spaMode: 'a', custom404: 'b' })
    expect(await ingest()).toBe('went-live')
    expect((await liveSnapshot())?.settings).toBeNull()
    const problem =
      'the settings are not used: Only one of spaMode, directoryListing, or custom404 can be enabled'
    expect(await toMend()).toEqual([problem])
    pds.deleteRecord(settingsPath)
    expect(await ingest()).toBe('already-live')
    expect(await toMend()).toEqual([])
  })

  test('without a site are no site', async () => {
    await pds.putRecord(settingsPath, { cleanUrls: true })
    expect(await ingest()).toBe('removed')
    expect(await liveSnapshot()).toBeNull()
  })
})

describe('rules at the root go live as text,', () => {
  const redirects = '/old /new\n'
  const headers = '/*\n  X-One: 1\n'
  const zipped = (text: string) => file(gzipSync(text), { encoding: 'gzip' })

  test('in whatever form the files are', async () => {
    await put({ _redirects: file(redirects), _headers: zipped(headers) })
    expect(await ingest()).toBe('went-live')
    expect(await liveSnapshot()).toMatchObject({ redirects, headers })
    expect(await toMend()).toEqual([])
  })
  test('mistakes and all: these are to mend', async () => {
    await put({ _redirects: file('/a /b\n/c /d 999\n') })
    expect(await ingest()).toBe('went-live')
    expect(await toMend()).toEqual([expect.stringMatching(/^_redirects, line 2: ./)])
  })
  test("with the files of other hosts' rules as problems", async () => {
    await put({ 'vercel.json': file('{}') })
    expect(await ingest()).toBe('went-live')
    expect(await toMend()).toEqual([expect.stringMatching(/^vercel\.json is /)])
  })
  test('with what is no UTF-8 replaced', async () => {
    await put({ _redirects: file(Buffer.from('\ufeff/a /b\n/caf\xe9 /c', 'latin1')) })
    await ingest()
    expect((await liveSnapshot())?.redirects).toEndWith('/a /b\n/caf\ufffd /c')
  })
  test('not those of folders', async () => {
    const folder = { type: 'directory', entries: [{ name: '_redirects', node: file(redirects) }] }
    await put({ folder })
    await ingest()
    expect(await liveSnapshot()).toMatchObject({ redirects: '', headers: '' })
  })
  test('of exactly the limit, and not of a byte more', async () => {
    const limits = { fileBytesMax: 1_000_000, siteBytesMax: 2_000_000 }
    const most = '#\n'.repeat(ruleFileBytesMax / 2)
    await put({ _redirects: zipped(most), _headers: zipped(`${most}#`) })
    expect(await ingest({ limits })).toBe('went-live')
    expect(await liveSnapshot()).toMatchObject({ redirects: most, headers: '' })
    expect(await toMend()).toEqual(['_headers is not used: it is larger than 262144 bytes'])
  })
  test('unless they are large for what they hold', async () => {
    const limits = { fileBytesMax: 1_000_000, siteBytesMax: 2_000_000 }
    const padded = redirects + '#\n'.repeat(ruleFileBytesMax / 2 - 10_000)
    const bloated = hollowGzip(padded, 2 * ruleFileBytesMax - padded.length)
    await put({ _redirects: file(bloated, { encoding: 'gzip' }) })
    expect(await ingest({ limits })).toBe('went-live')
    expect((await liveSnapshot())?.redirects).toBe('')
    expect(await toMend()).toEqual(['_redirects is not used: it is larger than 262144 bytes'])
  })
})

describe('a size that the record lies about', () => {
  const lying = (content: string | Uint8Array, by: number, facts: Node = {}): Node => {
    const { blob, ...node } = file(content, facts)
    const { size, ...rest } = blob as { size: number }
    return { ...node, blob: { ...rest, size: size + by } }
  }
  const facts: [string, Node | undefined, (text: string) => string][] = [
    ['plain', undefined, (text) => text],
    ['base64', { base64: true }, (text) => Buffer.from(text).toString('base64')],
  ]
  for (const [form, fields, write] of facts) {
    for (const by of [-1, 1, 4]) {
      test(`${form}, by ${by}: refused when the blob is fetched, and when it was known`, async () => {
        const refusedSo = () => refuses('"bad.html" is not what the record names')
        await put({ 'bad.html': lying(write('hello'), by, fields) })
        await refusedSo()
        await put({ 'good.html': file(write('hello'), fields) })
        expect(await ingest()).toBe('went-live')
        await put({ 'bad.html': lying(write('hello'), by, fields) })
        await refusedSo()
        await put({
          'bad.html': lying(write('hello'), by, fields),
          'good.html': file(write('hello'), fields),
        })
        await refusedSo()
      })
    }
  }
  test('the true one of a known blob is taken, whatever its length', async () => {
    for (const text of ['', 'a', 'ab', 'abc', 'abcd']) {
      const base64 = Buffer.from(text).toString('base64')
      await put({ a: file(base64, { base64: true }), b: file(text), c: file(`new ${text}`) })
      expect(await ingest()).toBe('went-live')
      await put({ a: file(base64, { base64: true }), b: file(text), d: file(`newer ${text}`) })
      expect(await ingest()).toBe('went-live')
    }
  })
})

describe('what is kept of a version', () => {
  const longNames = (count: number, last: string): Record<string, Node> => {
    const blob = file('x')
    const names = Array.from({ length: count }, (_, i) => `${i}-`.padEnd(255, '"'))
    return Object.fromEntries([...names, last].map((name) => [name, blob]))
  }
  /** A path of more than 1000 bytes, two a quotation mark. */
  const deep = (files: Record<string, Node>): Node => {
    const entries = Object.entries(files).map(([name, node]) => ({ name, node }))
    return [1, 2, 3].reduce<Node>(
      (node) => ({ type: 'directory', entries: [{ name: '"'.repeat(240), node }] }),
      { type: 'directory', entries },
    )
  }
  const limits = { fileBytesMax: 1_000_000, siteBytesMax: 2_000_000 }
  const bytesNow = async () => {
    const served = await findServedSite(database.db, siteOf('blog'))
    return Buffer.byteLength(served?.snapshot ?? '')
  }

  test('has a limit: exactly that, and not a byte more', async () => {
    const sizedTo = async (padding: string) => {
      const more = { _headers: file(`#${padding}`) }
      const full = deep(longNames(490, 'x'))
      const root = { type: 'directory', entries: [{ name: 'part', node: full }] }
      const createdAt = '2026-01-01T00:00:00.000Z'
      const part = { $type: 'place.sitehost.subfs', root, createdAt }
      await pds.putRecord('place.sitehost.subfs/names', part)
      const subject = `at://${alice}/place.sitehost.subfs/names`
      const again = { type: 'subfs', subject, flat: false }
      const rest = deep(longNames(480, 'y'))
      const parts = { one: again, two: again, three: again, four: again, five: again, six: again }
      await put({ ...parts, seven: rest, eight: rest, ...more })
      return await ingest({ limits })
    }
    expect(await sizedTo('')).toBe('went-live')
    const room = snapshotBytesMax - (await bytesNow())
    expect(room).toBeWithin(1000, 120_000)
    // The sizes of that file in the snapshot have more digits then.
    expect(await sizedTo('x'.repeat(room - 8))).toBe('went-live')
    expect(await bytesNow()).toBe(snapshotBytesMax)
    expect(await sizedTo('x'.repeat(room - 7))).toBe('refused')
    expect((await problems())?.[0]).toEndWith(`; the limit is ${snapshotBytesMax}`)
  })

  test.each(['1969-07-20T20:17:40Z', '0001-01-01T00:00:00Z', '2026-02-30T00:00:00.000Z'])(
    'can be read, though it says %s',
    async (createdAt) => {
      await put({ a: file('x') }, { createdAt })
      expect(await ingest()).toBe('went-live')
      expect((await liveSnapshot())?.publishedAt).toBeGreaterThanOrEqual(0)
    },
  )
})

describe('nothing changes, and it is tried again,', () => {
  beforeEach(async () => {
    await put({ 'index.html': file('good') })
    await ingest()
    await put({ 'index.html': file('better') })
  })

  const throws = async (kind: new (...args: never[]) => Error): Promise<void> => {
    const before = await live()
    await expect(ingest()).rejects.toBeInstanceOf(kind)
    expect(await live()).toEqual(before)
    expect(await problems()).toBeUndefined()
  }

  test('when the proof is signed with another key, after a look for a new one', async () => {
    const stranger = await P256PrivateKeyExportable.createKeypair()
    pds.lies.proof = async (honest) => await carOf(await proofOf({ ...honest, key: stranger }))
    await throws(ProofError)
    expect(pds.requests.filter((request) => request === 'document')).toHaveLength(2)
  })
  test('when the proof is of another account', async () => {
    pds.lies.proof = async (honest) => await carOf(await proofOf({ ...honest, did: bob }))
    await throws(ProofError)
  })
  test('when the record is taken down or the repository away', async () => {
    pds.lies.proof = async () => Response.json({ error: 'RepoTakendown' }, { status: 400 })
    await throws(RecordUnavailableError)
  })
  test('when the proof is a page', async () => {
    pds.lies.proof = async () => new Response('<html>')
    await throws(ProofError)
  })
  test('when the proof has no end', async () => {
    pds.lies.proof = async () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100_000)) }),
      )
    await throws(FetchLimitError)
  })
  for (const [what, answer] of [
    ['is missing', () => Response.json({ error: 'BlobNotFound' }, { status: 400 })],
    ['comes as a range', () => new Response('bett', { status: 206 })],
    ['fails', () => new Response('', { status: 500 })],
  ] as const) {
    test(`when a blob ${what}`, async () => {
      pds.lies.blob = answer
      await throws(BlobUnavailableError)
    })
  }
})

test('a key that was changed is looked up before the proof is refused', async () => {
  await put({ a: file('x') })
  await ingest()
  const fresh = await P256PrivateKeyExportable.createKeypair()
  const multikey = await fresh.exportPublicKey('multikey')
  pds.lies.proof = async (honest) => await carOf(await proofOf({ ...honest, key: fresh }))
  pds.lies.document = (honest) => ({
    ...honest,
    verificationMethod: [
      { id: `${alice}#atproto`, type: 'Multikey', controller: alice, publicKeyMultibase: multikey },
    ],
  })
  await put({ b: file('y') })
  expect(await ingest()).toBe('went-live')
})

test('stopping ends a transfer that is under way', async () => {
  await put({ a: file('x'), b: file('y') })
  const stop = new AbortController()
  pds.lies.blob = () => {
    stop.abort(new Error('stopped'))
    return new Response(new ReadableStream({ pull: () => new Promise(() => undefined) }))
  }
  await expect(ingest({ signal: stop.signal })).rejects.toThrow('stopped')
})
