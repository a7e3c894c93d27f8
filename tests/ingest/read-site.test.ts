import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Identity } from '#atproto/identity/identity.ts'
import { ProofError, RecordUnavailableError } from '#atproto/repo/verified-record.ts'
import { PartMissingError } from '#ingest/read/read-files.ts'
import { readSite, SiteUnsettledError } from '#ingest/read/read-site.ts'
import { createSafeFetch } from '#outbound/safe-fetch.ts'
import { alice, bob, siteOf } from '#tests/support/database/sample-rows.ts'
import {
  carOf,
  type FakePds,
  type ProofOf,
  proofOf,
  startFakePds,
} from '#tests/support/servers/fake-pds.ts'

const mainPath = 'place.sitehost.fs/blog'
const settingsPath = 'place.sitehost.settings/blog'
const partPath = 'place.sitehost.subfs/3kaaaaaaaaaa2'
const subject = `at://${alice}/${partPath}`

let pds: FakePds
beforeEach(async () => {
  pds = await startFakePds(alice)
  await write('first')
})
afterEach(() => pds[Symbol.asyncDispose]())

const directory = (entries: Record<string, object>) => ({
  type: 'directory',
  entries: Object.entries(entries).map(([name, node]) => ({ name, node })),
})
const fileOf = (content: string) => ({ type: 'file', blob: pds.addBlob(content) })

/** A manifest with one file and a part with another, both of the same size as `text`. */
async function write(text: string): Promise<void> {
  await writeMain(text)
  await writePart(text)
}
async function writeMain(text: string): Promise<void> {
  const root = directory({ 'main.txt': fileOf(text), more: { type: 'subfs', subject } })
  const createdAt = '2026-01-01T00:00:00.000Z'
  await pds.putRecord(mainPath, { $type: 'place.sitehost.fs', site: 'blog', root, createdAt })
}
async function writePart(text: string): Promise<void> {
  const root = directory({ 'part.txt': fileOf(text) })
  const createdAt = '2026-01-01T00:00:00.000Z'
  await pds.putRecord(partPath, { $type: 'place.sitehost.subfs', root, createdAt })
}

/** Runs `act` before each answer about the part, with how many there were before, and writes something else. */
function beforeEachPart(act: (n: number) => Promise<unknown>): void {
  let n = 0
  pds.lies.proof = async (honest) => {
    if (honest.path === partPath) {
      await act(n++)
      await pds.putRecord('com.example.note/x', {})
      return await carOf(await proofOf({ ...honest, rev: pds.rev }))
    }
    return await carOf(await proofOf(honest))
  }
}

/** Every record of the repository. */
async function recordsNow(): Promise<ProofOf['records']> {
  const { promise, resolve } = Promise.withResolvers<ProofOf['records']>()
  pds.lies.proof = async (honest) => {
    resolve(honest.records)
    return await carOf(await proofOf(honest))
  }
  await read()
  return await promise
}

async function readAll() {
  const keys = { signingKey: pds.key, signingMultikey: 'zKey' }
  const identity: Identity = { did: alice, claimedHandle: null, pds: pds.url, ...keys }
  const fetch = createSafeFetch({ allowPrivate: true })
  const signal = new AbortController().signal
  const reading = await readSite(siteOf('blog'), identity, { fetch, signal })
  if (!reading.found || !reading.content.ok) throw new Error(JSON.stringify(reading))
  return reading.content
}

/** The sizes of the site's files. */
async function read(): Promise<Record<string, number>> {
  const { files } = await readAll()
  return Object.fromEntries([...files].map(([path, { blob }]) => [path, blob.size]))
}
const settled = (size: number) => ({ 'main.txt': size, 'part.txt': size })

test('of one revision: read once', async () => {
  expect(await read()).toEqual(settled(5))
  expect(pds.requests).toHaveLength(3)
})

describe('of a hundred parts', () => {
  const keys = Array.from({ length: 100 }, (_, n) => `3kaaaaaaaaa${100 + n}`)
  const createdAt = '2026-01-01T00:00:00.000Z'
  const writeEach = async (text: string): Promise<void> => {
    for (const key of keys) {
      const root = directory({ [`${key}.txt`]: fileOf(text) })
      await pds.putRecord(`place.sitehost.subfs/${key}`, {
        ...{ $type: 'place.sitehost.subfs', root, createdAt },
      })
    }
    const entries = keys.map((key) => {
      return [key, { type: 'subfs', subject: `at://${alice}/place.sitehost.subfs/${key}` }] as const
    })
    const root = directory(Object.fromEntries(entries))
    await pds.putRecord(mainPath, { $type: 'place.sitehost.fs', site: 'blog', root, createdAt })
  }
  const sizes = async () => new Set(Object.values(await read()))

  test('they take a few requests together', async () => {
    await writeEach('first')
    expect(await sizes()).toEqual(new Set([5]))
    expect(pds.requests.length).toBeLessThan(12)
  })

  test('all are rewritten while they are read: never some of each', async () => {
    await writeEach('first')
    let isWritten = false
    pds.lies.blocks = async (honest) => {
      if (!isWritten) await writeEach('the second')
      isWritten = true
      return await carOf({ root: null, blocks: honest })
    }
    expect(await sizes()).toEqual(new Set([10]))
  })
})

describe('a commit while it is read', () => {
  test('of something else: read once more, and it is the same', async () => {
    beforeEachPart(async () => {})
    expect(await read()).toEqual(settled(5))
    expect(pds.requests).toHaveLength(6)
  })

  test('that rewrites the part in place: never the old manifest with the new part', async () => {
    beforeEachPart(async (n) => {
      if (n === 0) await write('the second')
    })
    expect(await read()).toEqual(settled(10))
    expect(pds.requests).toHaveLength(9)
  })

  test('again and again: tried again later', async () => {
    beforeEachPart((n) => write('x'.repeat(n + 1)))
    await expect(read()).rejects.toBeInstanceOf(SiteUnsettledError)
    expect(pds.requests).toHaveLength(9)
  })

  test('that the server does not stand by: an old part in a new manifest is tried again later', async () => {
    const past = { rev: pds.rev, records: new Map(await recordsNow()) }
    await write('the second')
    pds.lies.proof = async (honest) =>
      await carOf(await proofOf(honest.path === partPath ? { ...honest, ...past } : honest))
    await expect(read()).rejects.toBeInstanceOf(SiteUnsettledError)
  })

  test('that takes the part away: tried again later', async () => {
    beforeEachPart(async () => pds.deleteRecord(partPath))
    await expect(read()).rejects.toBeInstanceOf(PartMissingError)
  })
})

describe('the settings of the site', () => {
  const $type = 'place.sitehost.settings'
  const settingsRead = async () => {
    const { settings, problems } = await readAll()
    return { settings, problems }
  }
  const notUsed = (reason: string) => ({
    settings: null,
    problems: [`the settings are not used: ${reason}`],
  })
  const none = { settings: null, problems: [] }

  const records: [string, object | Uint8Array<ArrayBuffer>, object][] = [
    ['as they are', { cleanUrls: true }, { settings: { $type, cleanUrls: true }, problems: [] }],
    ['that say nothing', {}, { settings: { $type }, problems: [] }],
    [
      'without what nobody knows',
      { $type: 'x', mood: 1, spaMode: 'app.html' },
      { settings: { $type, spaMode: 'app.html' }, problems: [] },
    ],
    [
      'of two modes',
      { spaMode: 'index.html', directoryListing: true },
      notUsed('Only one of spaMode, directoryListing, or custom404 can be enabled'),
    ],
    [
      'with a bad field',
      { cleanUrls: true, indexFiles: ['../x'] },
      notUsed('indexFiles.0: expected the name of a file, without a folder'),
    ],
    ['that are no DAG-CBOR', new Uint8Array([0xff]), notUsed('the record is not DAG-CBOR')],
    [
      'over 1 MiB',
      { note: 'x'.repeat(1024 * 1024) },
      notUsed('the record is larger than 1048576 bytes'),
    ],
  ]
  test.each(records)('%s', async (_, record, expected) => {
    await pds.putRecord(settingsPath, record)
    expect(await settingsRead()).toEqual(expected as never)
  })

  test('that are not there', async () => expect(await settingsRead()).toEqual(none))

  test('are of the same commit as the manifest', async () => {
    const mainRead = Promise.withResolvers<void>()
    let n = 0
    pds.lies.proof = async (honest) => {
      if (honest.path !== settingsPath) {
        const answer = await carOf(await proofOf(honest))
        mainRead.resolve()
        return answer
      }
      await mainRead.promise
      if (n++ > 0) return await carOf(await proofOf(honest))
      await write('the second')
      await pds.putRecord(settingsPath, { cleanUrls: true })
      return await carOf(await proofOf({ ...honest, rev: '3kaaaaaaaaazz' }))
    }
    const { settings, files } = await readAll()
    expect(settings).toMatchObject({ cleanUrls: true })
    expect([...files.values()].map(({ blob }) => blob.size)).toEqual([10, 10])
  })

  describe('on a server that has no proof of them', () => {
    beforeEach(() => {
      pds.lies.proof = async (honest) => {
        if (honest.path === settingsPath) return new Response('', { status: 500 })
        return await carOf(await proofOf(honest))
      }
    })
    test('are none when it says so', async () => expect(await settingsRead()).toEqual(none))
    test('are tried again later when it does not', async () => {
      await pds.putRecord(settingsPath, {})
      await expect(settingsRead()).rejects.toBeInstanceOf(RecordUnavailableError)
    })
  })

  test('of another account are refused, and tried again later', async () => {
    pds.lies.proof = async (honest) => {
      const did = honest.path === settingsPath ? bob : honest.did
      return await carOf(await proofOf({ ...honest, did }))
    }
    await expect(settingsRead()).rejects.toBeInstanceOf(ProofError)
  })
})

describe('of the parts of a site together, only so much is read', () => {
  const partKeys = Array.from({ length: 20 }, (_, n) => `3kaaaaaaaa${'abcdefghijklmnopqrst'[n]}22`)
  const createdAt = '2026-01-01T00:00:00.000Z'
  /** Each part holds so many directories of these names, and so many bytes that nobody reads. */
  async function problemsWith(
    directories: number,
    names: readonly string[],
    padding: number,
  ): Promise<unknown> {
    const uris = partKeys.map((key) => `at://${alice}/place.sitehost.subfs/${key}`)
    const root = directory(
      Object.fromEntries(uris.map((uri, n) => [`${n}`, { type: 'subfs', subject: uri }])),
    )
    await pds.putRecord(mainPath, { $type: 'place.sitehost.fs', site: 'blog', root, createdAt })
    const file = fileOf('x')
    const inner = directory(Object.fromEntries(names.map((name) => [name, file])))
    const all = Array.from({ length: directories }, (_, n) => [`${n}`, inner])
    const part = directory(Object.fromEntries(all))
    const junk = 'x'.repeat(padding)
    for (const key of partKeys) {
      const record = { $type: 'place.sitehost.subfs', root: part, createdAt, junk, key }
      await pds.putRecord(`place.sitehost.subfs/${key}`, record)
    }
    pds.requests.length = 0
    return await readAll().catch((error: Error) => JSON.parse(error.message).content.problems)
  }
  const asked = (): number => pds.requests.filter((line) => line.includes('subfs')).length

  // In one answer they are too many, then each is read alone.
  test('bytes', async () => {
    const problems = await problemsWith(1, ['a'], 1_000_000)
    expect(problems).toEqual(['the parts have more than 16777216 bytes together'])
    expect(asked()).toBeWithin(17, 21)
  })
  const names = Array.from({ length: 499 }, (_, n) => `${n}`)
  test('entries', async () => {
    pds.lies.blocks = () => Response.json({ error: 'MethodNotImplemented' }, { status: 501 })
    expect(await problemsWith(6, names, 0)).toEqual(['the site has over 50000 entries'])
    expect(asked()).toBeWithin(17, 21)
  })
  test('entries, of parts that come together', async () => {
    expect(await problemsWith(6, names, 0)).toEqual(['the site has over 50000 entries'])
  })
})
