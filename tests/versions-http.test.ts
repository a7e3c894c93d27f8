import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { buffer } from 'node:stream/consumers'
import { fromBufferPromise } from 'yauzl'
import { versionKeyAt } from '#site/version-key.ts'
import { countUploads } from '#tests/support/publishing/count-uploads.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { filesOfVersion, visibleVersion } from '#tests/support/visitors/visible-version.ts'
import type { AppClient } from '../devnet/app-client.ts'
import { getRecord, type PdsAccount, putRecord, uploadBlob } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorldOfAlice, type World } from './support/world.ts'

// What an owner does with versions over HTTP, on real servers (docs/versions.md).

const [fs, collection] = ['place.sitehost.fs', 'place.sitehost.version']

let world: World
let alice: AppClient
let repo: PdsAccount
beforeAll(async () => {
  ;({ world, alice, repo } = await startWorldOfAlice({ countsCalls: true }))
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

interface Row {
  readonly id: string
  readonly state: string
  readonly url: string | null
  readonly by: string
  readonly message: string | null
  readonly pinned: boolean
}

interface Published {
  readonly id: string
  readonly cid: string
  readonly url: string
  readonly versionUrl: string
}

/** Publishes the n-th version, with a file that only it has. */
async function publish(
  site: string,
  version: number,
  contents = filesOfVersion(version),
): Promise<Published> {
  const files = Object.entries(contents).map(([path, text]) => textFile(path, text))
  const result = await alice.publish(site, files)
  return {
    id: String(result['versionId']),
    cid: String(result['cid']),
    url: String(result['url']),
    versionUrl: String(result['versionUrl']),
  }
}

async function call(method: string, path: string, body?: object): Promise<[number, unknown]> {
  const init = { method, ...(body && { body: JSON.stringify(body) }) }
  const response = await alice.fetch(`/api/site/${path}`, init)
  return [response.status, await response.json()]
}

async function list(site: string): Promise<Row[]> {
  const [status, body] = await call('GET', `${site}/versions`)
  expect(status).toBe(200)
  return (body as { versions: Row[] }).versions
}

const idsOf = async (site: string) => (await list(site)).map(({ id }) => id)
const statesOf = async (site: string) =>
  Object.fromEntries((await list(site)).map(({ id, state }) => [id, state]))

test('a version can be visited, and is in the list, when its job has ended', async () => {
  for (const version of [1, 2, 3]) {
    const { id, versionUrl } = await publish('at-once', version)
    const page = await fetch(versionUrl)
    expect([page.status, await page.text()]).toEqual([200, `version ${version}`])
    const [newest] = await list('at-once')
    expect(newest).toMatchObject({ id, state: 'live', by: 'owner' })
  }
}, 60_000)

describe('restoring', () => {
  let first: Published
  let second: Published
  beforeAll(async () => {
    first = await publish('notes', 1)
    expect((await call('POST', 'notes/settings', { cleanUrls: true }))[0]).toBe(200)
    second = await publish('notes', 2)
  }, 120_000)

  test('the list says what is live, and where each version is', async () => {
    const rows = await list('notes')
    expect(rows).toMatchObject([
      { id: second.id, state: 'live', by: 'owner', url: second.versionUrl },
      { id: first.id, state: 'replaced', by: 'owner', url: first.versionUrl },
    ])
  })

  test('changes against the live version, its files and a zip', async () => {
    const [, changes] = await call('GET', `notes/versions/${first.id}/changes`)
    expect(changes).toEqual({
      added: [{ path: 'mark-1.txt', bytes: 9 }],
      changed: [{ path: 'index.html', bytes: 9 }],
      removed: [{ path: 'mark-2.txt', bytes: 9 }],
      settings: [{ field: 'cleanUrls', from: true, to: false }],
    })
    const [, body] = await call('GET', `notes/versions/${first.id}/files`)
    const { files } = body as { files: { path: string; url: string }[] }
    for (const { path, url } of files) {
      expect(await (await fetch(url)).text()).toBe(String(filesOfVersion(1)[path]))
    }
    const response = await alice.fetch(`/api/site/notes/versions/${first.id}/archive`)
    expect(await unzipped(await response.arrayBuffer())).toEqual(filesOfVersion(1))
  })

  test('makes the same record live as then, without an upload', async () => {
    const uploads = await countUploads(world)
    const result = await alice.restore('notes', first.id)
    expect(result).toMatchObject({ cid: first.cid, versionId: first.id, live: true, fileCount: 2 })
    expect(await visibleVersion(first.url)).toBe(1)
    expect(await uploads()).toBe(0)
    expect(await statesOf('notes')).toEqual({ [first.id]: 'live', [second.id]: 'replaced' })
    // The settings stay as they are.
    expect((await call('GET', 'notes/settings'))[1]).toMatchObject({ cleanUrls: true })
  }, 60_000)

  test('again undoes it', async () => {
    const uploads = await countUploads(world)
    await alice.restore('notes', second.id)
    expect(await visibleVersion(first.url)).toBe(2)
    expect(await uploads()).toBe(0)
    expect(await statesOf('notes')).toEqual({ [first.id]: 'replaced', [second.id]: 'live' })
  }, 60_000)

  test('restores the settings of then, when asked', async () => {
    await alice.restore('notes', first.id, { settings: true })
    expect(await getRecord(repo, 'place.sitehost.settings', 'notes')).toBeUndefined()
    await alice.restore('notes', second.id, { settings: true })
    expect(await getRecord(repo, 'place.sitehost.settings', 'notes')).toMatchObject({
      cleanUrls: true,
    })
    expect(await visibleVersion(first.url)).toBe(2)
  }, 60_000)

  test('of what is live changes nothing', async () => {
    const result = await alice.restore('notes', second.id)
    expect(result).toMatchObject({ cid: second.cid, live: true })
  }, 60_000)

  test('is nobody else’s', async () => {
    const bob = await world.signedIn('bob.test')
    const path = `/api/site/notes/versions/${first.id}`
    for (const [method, end] of [
      ['GET', '/files'],
      ['GET', '/archive'],
      ['GET', '/changes'],
      ['POST', '/restore'],
      ['PATCH', ''],
      ['DELETE', ''],
    ] as const) {
      const body = ['POST', 'PATCH'].includes(method) ? { body: '{}' } : {}
      const response = await bob.fetch(path + end, { method, ...body })
      expect([method, end, response.status]).toEqual([method, end, 404])
    }
  }, 60_000)
})

test('a version is pinned and described, in its record too', async () => {
  const { id } = await publish('described', 1)
  const [status, row] = await call('PATCH', `described/versions/${id}`, {
    ...{ message: 'Launch', pinned: true },
  })
  expect([status, row]).toMatchObject([200, { id, message: 'Launch', pinned: true }])
  expect(await getRecord(repo, collection, id)).toMatchObject({ message: 'Launch', pinned: true })
  await eventually(async () =>
    expect(await list('described')).toMatchObject([{ id, message: 'Launch', pinned: true }]),
  )
}, 60_000)

describe('forgetting', () => {
  test('removes the record, the bytes at both servers, and the address', async () => {
    const first = await publish('secret', 1, { 'index.html': 'old', 'mark-1.txt': 'a secret' })
    const second = await publish('secret', 2, { 'index.html': 'new' })
    const [mark] = blobsOf(await getRecord(repo, collection, first.id), 'mark-1.txt')
    expect(await blobStatus(mark)).toBe(200)
    expect((await fetch(`${first.versionUrl}mark-1.txt`)).status).toBe(200)
    expect((await call('DELETE', `secret/versions/${second.id}`))[0]).toBe(409)

    const began = performance.now()
    const [status, body] = await call('DELETE', `secret/versions/${first.id}`)
    const { removed } = body as { removed: { records: string[]; blobs: number; bytes: number } }
    expect([status, removed]).toEqual([
      200,
      {
        records: [`at://${repo.did}/${collection}/${first.id}`],
        blobs: 2,
        bytes: expect.any(Number),
      },
    ])
    expect(await getRecord(repo, collection, first.id)).toBeUndefined()
    expect(await blobStatus(mark)).toBe(400)
    await eventually(async () =>
      expect((await fetch(`${first.versionUrl}mark-1.txt`)).status).toBe(410),
    )
    expect(performance.now() - began).toBeLessThan(5_000)
    expect((await fetch(new URL('mark-1.txt', second.url))).status).toBe(404)
    expect(await idsOf('secret')).toEqual([second.id])
    expect(await (await fetch(second.url)).text()).toBe('new')
  }, 60_000)
})

test('a preview goes live, and is none any more', async () => {
  const first = await publish('promoted', 1)
  const second = await publish('promoted', 2)
  const { root } = (await getRecord(repo, collection, first.id)) as { root: object }
  const id = versionKeyAt(Date.now(), 0)
  const createdAt = new Date().toISOString()
  await putRecord(repo, collection, id, { site: 'promoted', root, createdAt, alias: 'pr-12' })
  await eventually(async () =>
    expect(await statesOf('promoted')).toMatchObject({ [id]: 'preview', [second.id]: 'live' }),
  )
  const uploads = await countUploads(world)
  const { cid } = await alice.restore('promoted', id)
  expect(await visibleVersion(second.url)).toBe(1)
  expect(await uploads()).toBe(0)
  const { alias, manifest } = (await getRecord(repo, collection, id)) as Record<string, unknown>
  expect([alias, manifest]).toEqual([undefined, cid])
  await eventually(async () =>
    expect(await statesOf('promoted')).toMatchObject({ [id]: 'live', [second.id]: 'replaced' }),
  )
}, 60_000)

describe('what another program has published', () => {
  let kept: Published
  let theirs: Row
  let blob: string
  beforeAll(async () => {
    kept = await publish('shared', 1)
    const uploaded = await uploadBlob(repo, 'theirs', 'text/html')
    blob = uploaded.ref.$link
    const file = { type: 'file', blob: uploaded, mimeType: 'text/html' }
    const root = { type: 'directory', entries: [{ name: 'index.html', node: file }] }
    const createdAt = new Date().toISOString()
    await putRecord(repo, fs, 'shared', { site: 'shared', root, createdAt })
    theirs = await eventually(async () => {
      const row = (await list('shared')).find(({ by }) => by === 'other-program')
      expect(row).toMatchObject({ state: 'live', url: kept.url })
      return row as Row
    })
  }, 60_000)

  test('is listed, and replaced by what is restored', async () => {
    expect((await alice.restore('shared', kept.id))['cid']).toBe(kept.cid)
    expect(await statesOf('shared')).toEqual({ [theirs.id]: 'replaced', [kept.id]: 'live' })
    expect(await blobStatus(blob)).toBe(400)
  }, 60_000)

  test('goes live again with the files that are stored here', async () => {
    const uploads = await countUploads(world)
    const result = await alice.restore('shared', theirs.id)
    expect(result).toMatchObject({ live: true, fileCount: 1, versionId: expect.any(String) })
    expect(await (await fetch(kept.url)).text()).toBe('theirs')
    expect(await uploads()).toBe(1)
  }, 60_000)

  test('can be forgotten', async () => {
    const [status, body] = await call('DELETE', `shared/versions/${theirs.id}`)
    expect([status, body]).toEqual([
      200,
      { success: true, removed: { records: [], blobs: 0, bytes: 0 } },
    ])
    expect(await idsOf('shared')).not.toContain(theirs.id)
  }, 60_000)
})

async function unzipped(zip: ArrayBuffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  const archive = await fromBufferPromise(Buffer.from(zip))
  for await (const entry of archive.eachEntry()) {
    const content = await buffer(await archive.openReadStreamPromise(entry))
    files[entry.fileName] = content.toString()
  }
  return files
}

/** The CIDs of the blobs that a record has at this name. */
function blobsOf(record: unknown, name: string): string[] {
  const { entries } = (record as { root: { entries: { name: string; node: object }[] } }).root
  return entries
    .filter((entry) => entry.name === name)
    .map(({ node }) => (node as { blob: { ref: { $link: string } } }).blob.ref.$link)
}

/** What the account's server answers to whoever wants the blob. */
async function blobStatus(cid = ''): Promise<number> {
  const query = new URLSearchParams({ did: repo.did, cid })
  const response = await fetch(`${repo.pds}/xrpc/com.atproto.sync.getBlob?${query}`)
  await response.arrayBuffer()
  return response.status
}
