import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { countUploads } from '#tests/support/publishing/count-uploads.ts'
import { type PlainFile, readSitePlainly } from '#tests/support/publishing/plain-reader.ts'
import type { AppClient, UploadFile } from '../devnet/app-client.ts'
import { listRecords, type PdsAccount, putRecord, uploadBlob } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorldOfAlice, type World } from './support/world.ts'

// Versions that their owner keeps: what is in the repository, read straight from the account's server.

let world: World
let alice: AppClient
let repo: PdsAccount
beforeAll(async () => {
  ;({ world, alice, repo } = await startWorldOfAlice({ countsCalls: true }))
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const collection = 'place.sitehost.version'
const versions = () => listRecords(repo, collection)

/** 1000 pages in ten folders, with few contents; each version changes five of them, in different places. */
function filesOf(version: number): UploadFile[] {
  const changed = Array.from({ length: 5 }, (_, n) => (version * 37 + n * 197) % 1000)
  return Array.from({ length: 1000 }, (_, i) => ({
    path: `section-${i % 10}/page-${i}.html`,
    body: new Blob([
      version > 0 && changed.includes(i) ? `page ${i} of ${version}` : `page ${i % 20}`,
    ]),
  }))
}

async function repositoryBytes(): Promise<number> {
  const query = new URLSearchParams({ did: repo.did })
  const response = await fetch(`${repo.pds}/xrpc/com.atproto.sync.getRepo?${query}`)
  return (await response.arrayBuffer()).byteLength
}

const sorted = (files: PlainFile[]) => files.sort((a, b) => (a.path < b.path ? -1 : 1))
const plain = (files: readonly UploadFile[]) =>
  Promise.all(files.map(async ({ path, body }) => ({ path, content: await body.text() })))

describe('three versions of 1000 files', () => {
  const results: Record<string, unknown>[] = []
  const sizes: number[] = []
  beforeAll(async () => {
    for (let version = 0; version < 3; version++) {
      results.push(await alice.publish('handbook', filesOf(version)))
      sizes.push(await repositoryBytes())
    }
  }, 300_000)

  test('are in the repository, each with the CID of the manifest that it had', async () => {
    const records = await versions()
    expect(records.map(({ rkey }) => rkey).sort()).toEqual(
      results.map((r) => String(r['versionId'])),
    )
    for (const [n, { value }] of records.sort((a, b) => (a.rkey < b.rkey ? -1 : 1)).entries()) {
      expect(value).toMatchObject({
        ...{ $type: collection, site: 'handbook', fileCount: 1000, manifest: results[n]?.['cid'] },
      })
    }
  })

  test('are rebuilt byte by byte by a reader that knows only the specification', async () => {
    for (const [version, { versionId }] of results.entries()) {
      const read = await readSitePlainly(repo, String(versionId), collection)
      expect(sorted(read)).toEqual(sorted(await plain(filesOf(version))))
    }
  }, 300_000)

  test('take less than 120 kB each, besides the first', () => {
    const grown = sizes.slice(1).map((bytes, n) => bytes - (sizes[n] ?? 0))
    for (const bytes of grown) expect(bytes).toBeWithin(1, 120_000)
  })

  test('have addresses of their own, for ever', async () => {
    for (const [version, { versionUrl }] of results.entries()) {
      const [first, changed] = [0, (version * 37) % 1000].map((i) => filesOf(version)[i])
      for (const file of [first, changed]) {
        const page = await fetch(new URL(file?.path ?? '', String(versionUrl)))
        expect(await page.text()).toBe((await file?.body.text()) ?? '')
      }
    }
  }, 60_000)

  /** What visitors of the site get of the first file that each version changed. */
  const seen = () =>
    Promise.all(
      results.map(async ({ url }, version) => {
        const file = filesOf(version)[(version * 37) % 1000]
        return await (await fetch(new URL(file?.path ?? '', String(url)))).text()
      }),
    )
  const textsOf = (version: number) =>
    Promise.all(results.map((_, other) => filesOf(version)[(other * 37) % 1000]?.body.text() ?? ''))

  test('come back, the first and then the last again, without an upload', async () => {
    const uploads = await countUploads(world)
    for (const version of [0, 2]) {
      const { versionId, cid } = results[version] ?? {}
      const restored = await alice.restore('handbook', String(versionId))
      expect(restored).toMatchObject({ versionId, cid, live: true, fileCount: 1000 })
      expect(await seen()).toEqual(await textsOf(version))
    }
    expect(await uploads()).toBe(0)
  }, 60_000)

  test('come back after another program has written over the site', async () => {
    const blob = await uploadBlob(repo, 'theirs', 'text/html')
    const file = { type: 'file', blob, mimeType: 'text/html' }
    const root = { type: 'directory', entries: [{ name: 'index.html', node: file }] }
    const createdAt = new Date().toISOString()
    await putRecord(repo, 'place.sitehost.fs', 'handbook', { site: 'handbook', root, createdAt })
    await eventually(async () => {
      const answer = await alice.fetch('/api/site/handbook/versions')
      const { versions } = (await answer.json()) as { versions: object[] }
      expect(versions[0]).toMatchObject({ state: 'live', by: 'other-program', fileCount: 1 })
    })
    const uploads = await countUploads(world)
    await alice.restore('handbook', String(results[2]?.['versionId']))
    expect([await seen(), await uploads()]).toEqual([await textsOf(2), 0])
  }, 60_000)

  test('published again, unchanged, the newest has no second record', async () => {
    const again = await alice.publish('handbook', filesOf(2))
    expect(again).toMatchObject({ versionId: results[2]?.['versionId'], cid: results[2]?.['cid'] })
    expect(await versions()).toHaveLength(3)
  }, 120_000)

  test('are deleted with their site', async () => {
    const answer = await alice.fetch('/api/site/handbook', { method: 'DELETE' })
    expect(answer.status).toBe(200)
    expect(await versions()).toEqual([])
    expect(await listRecords(repo, 'place.sitehost.subfs')).toEqual([])
  }, 120_000)
})
