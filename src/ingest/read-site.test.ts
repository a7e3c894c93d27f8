import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Identity } from '#atproto/identity.ts'
import { createSafeFetch } from '#atproto/safe-fetch.ts'
import { carOf, type FakePds, proofOf, startFakePds } from '#tests/support/fake-pds.ts'
import { alice, siteOf } from '#tests/support/sample-rows.ts'
import { PartMissingError } from './read-files.ts'
import { readSite, SiteUnsettledError } from './read-site.ts'

const mainPath = 'place.sitehost.fs/blog'
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

/** Runs `act` before each answer about the part, with how many there were before. */
function beforeEachPart(act: (n: number) => Promise<unknown>): void {
  let n = 0
  pds.lies.proof = async (honest) => {
    if (honest.path === partPath) {
      await act(n++)
      // What was written meanwhile has a revision of its own.
      const rev = `3kaaaaaaaaa${'234567abcdefghij'[pds.requests.length]}z`
      return await carOf(await proofOf({ ...honest, rev }))
    }
    return await carOf(await proofOf(honest))
  }
}

/** The sizes of the site's files. */
async function read(): Promise<Record<string, number>> {
  const identity: Identity = { did: alice, handle: null, pds: pds.url, signingKey: pds.key }
  const fetch = createSafeFetch({ allowPrivate: true })
  const signal = new AbortController().signal
  const reading = await readSite(siteOf('blog'), identity, { fetch, signal })
  if (!reading.found || !reading.content.ok) throw new Error(JSON.stringify(reading))
  return Object.fromEntries([...reading.content.files].map(([path, { blob }]) => [path, blob.size]))
}
const settled = (size: number) => ({ 'main.txt': size, 'part.txt': size })

test('of one revision: read once', async () => {
  expect(await read()).toEqual(settled(5))
  expect(pds.requests).toHaveLength(2)
})

describe('a commit while it is read', () => {
  test('of something else: read once more, and it is the same', async () => {
    beforeEachPart(async () => {})
    expect(await read()).toEqual(settled(5))
    expect(pds.requests).toHaveLength(4)
  })

  test('that rewrites the part in place: never the old manifest with the new part', async () => {
    beforeEachPart(async (n) => {
      if (n === 0) await write('the second')
    })
    expect(await read()).toEqual(settled(10))
    expect(pds.requests).toHaveLength(6)
  })

  test('again and again: tried again later', async () => {
    beforeEachPart((n) => write('x'.repeat(n + 1)))
    await expect(read()).rejects.toBeInstanceOf(SiteUnsettledError)
    expect(pds.requests).toHaveLength(6)
  })

  test('that takes the part away: tried again later', async () => {
    beforeEachPart(async () => pds.deleteRecord(partPath))
    await expect(read()).rejects.toBeInstanceOf(PartMissingError)
  })
})
