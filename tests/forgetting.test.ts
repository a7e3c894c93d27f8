import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { previewLabel } from '#site/preview-label.ts'
import { versionKeyAt } from '#site/version-key.ts'
import { type OwnDatabase, sqliteFile } from '#tests/support/database/databases.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { settingsOf } from '#tests/support/processes/two-processes.ts'
import { type Contents, DeployClient, sha256 } from '#tests/support/publishing/deploy-client.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import {
  createSession,
  getRecord,
  type PdsAccount,
  putRecord,
  uploadBlob,
} from './support/accounts.ts'
import { eventually } from './support/eventually.ts'

// A version and a preview are forgotten in the process of the application; then their bytes are asked for at every place
// that had them, also in the memory of the process that answers visitors.

const collection = 'place.sitehost.version'
const mark = 'nobody may read this any more'
const asset = 'assets/app-4fK9xQ2b.js'
const forgotten: Contents = {
  'secret.html': `${mark}: a page. ${'So many words. '.repeat(200)}`,
  [asset]: `// ${mark}: an asset ${'of many words '.repeat(200)}`,
  // Decoded into a file for visitors.
  'large.txt': `${mark}: a large file. ${'With many words. '.repeat(200_000)}`,
  _redirects: `/old /secret.html 301 # ${mark}`,
}
const preview: Contents = { 'draft.html': `${mark}: a preview` }
const shared: Contents = { 'index.html': 'what every version has' }

let dir: string
let network: Network
let own: OwnDatabase
let settings: Awaited<ReturnType<typeof settingsOf>>
let app: ServiceProcess
let hosting: ServiceProcess
let cdn: Bun.Server<undefined>
/** The hosts that a CDN was told to drop, each with what visitors got there when it was told last. */
const purged = new Map<string, number[]>()
let alice: AppClient
let bob: AppClient
let repo: PdsAccount
/** CIDs of the blobs that only the forgotten versions name. */
const cids: string[] = []
/** What visitors could get. */
const addresses: URL[] = []
let [first, draft, live, versionUrl] = ['', '', '', '']

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-forgetting-'))
  network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: false })
  own = await sqliteFile()
  settings = await settingsOf(network, own)
  cdn = listeningCdn()
  settings.hosting['CDN_PURGE_URL'] = cdn.url.href
  const start = (part: 'app' | 'hosting') =>
    startServiceProcess(['serve', '--data', join(dir, 'sitehost')], settings[part])
  hosting = await start('hosting')
  app = await start('app')
  ;[alice, bob] = [await signedIn('alice.test'), await signedIn('bob.test')]
  repo = await createSession(network.pds, 'alice.test', passwordOf('alice.test'))
  await publishAll()
  for (const address of addresses) await eventually(() => expectServed(address))
  // The background compresses once somebody has asked; then it is served from memory.
  for (const address of addresses) {
    for (const coding of ['br', 'zstd', 'gzip', 'identity']) await visit(address, coding)
  }
}, 300_000)
afterAll(async () => {
  await app?.[Symbol.asyncDispose]()
  await hosting?.[Symbol.asyncDispose]()
  await cdn?.stop(true)
  await network?.stop()
  await own?.[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
}, 120_000)

const passwordOf = (handle: string): string =>
  network.accounts.find((account) => account.handle === handle)?.password ?? ''

async function signedIn(handle: string): Promise<AppClient> {
  const client = new AppClient(app.ready.app)
  await client.signIn(handle, passwordOf(handle))
  return client
}

const filesOf = (contents: Contents) =>
  Object.entries(contents).map(([path, text]) => textFile(path, text))

async function publishAll(): Promise<void> {
  const sent = { ...shared, ...forgotten }
  const { result: one } = await new DeployClient(alice).deploy('diary', sent, { message: mark })
  first = String(one['versionId'])
  versionUrl = String(one['versionUrl'])
  const two = await alice.publish('diary', filesOf({ ...shared, 'second.html': 'two' }))
  live = String(two['url'])
  const uploaded = await uploadBlob(repo, preview['draft.html'] ?? '', 'text/html')
  const node = { type: 'file', blob: uploaded, mimeType: 'text/html' }
  const root = { type: 'directory', entries: [{ name: 'draft.html', node }] }
  draft = versionKeyAt(Date.now(), 0)
  const createdAt = new Date().toISOString()
  await putRecord(repo, collection, draft, { site: 'diary', root, createdAt, alias: 'draft' })
  await eventually(async () =>
    expect(await idsOf()).toEqual(expect.arrayContaining([first, draft])),
  )

  cids.push(uploaded.ref.$link, ...cidsIn(await getRecord(repo, collection, first)))
  const alias = previewLabel('draft', new URL(live).hostname.split('.')[0] ?? '')
  const aliasUrl = new URL('/draft.html', live.replace(/\/\/[^.]+/, `//${alias}`))
  for (const path of ['secret.html', asset, 'large.txt']) addresses.push(new URL(path, versionUrl))
  addresses.push(new URL(asset, live), aliasUrl)
}

/** Of a record's files, without those that every version has. */
const cidsIn = (record: unknown): string[] =>
  (record as { root: { entries: { name: string; node: object }[] } }).root.entries
    .filter(({ name }) => !(name in shared))
    .flatMap(({ node }) =>
      Array.from(JSON.stringify(node).matchAll(/"\$link":"([^"]+)"/g), ([, cid = '']) => cid),
    )

async function call(method: string, path: string): Promise<Response> {
  return await alice.fetch(`/api/site/diary/versions${path}`, { method })
}

async function idsOf(): Promise<string[]> {
  const { versions } = (await (await call('GET', '')).json()) as { versions: { id: string }[] }
  return versions.map(({ id }) => id)
}

/** What the process that answers visitors sends. */
async function visit({ host, pathname }: URL, coding = 'identity'): Promise<[number, string]> {
  const at = `http://127.0.0.1:${settings.hosting['PORT']}${pathname}`
  const headers = { host, 'accept-encoding': coding }
  const answer = await fetch(at, { headers, redirect: 'manual' })
  return [answer.status, await answer.text()]
}

async function expectServed(address: URL): Promise<void> {
  const [status, text] = await visit(address)
  expect([address.href, status, text.includes(mark)]).toEqual([address.href, 200, true])
}

test('all of it is there before', async () => {
  expect(cids).toHaveLength(5)
  for (const cid of cids) expect(await blobStatus(cid)).toBe(200)
  const places = (await filesWithMark()).map((path) => path.split(/[/.-]/)[1])
  expect([...new Set(places)].sort()).toEqual(['blobs', 'decoded', 'sitehost'])
  expect(await missing(alice)).toEqual([])
})

test('forgetting says what went', async () => {
  for (const [id, blobs] of [
    [first, 4],
    [draft, 1],
  ] as const) {
    const answer = await call('DELETE', `/${id}`)
    const { removed } = (await answer.json()) as { removed: Record<string, unknown> }
    expect(answer.status).toBe(200)
    expect(removed).toMatchObject({ records: [`at://${repo.did}/${collection}/${id}`], blobs })
  }
})

test('the account’s server neither sends nor lists the blobs', async () => {
  for (const cid of cids) expect(await blobStatus(cid)).toBe(400)
  const query = new URLSearchParams({ did: repo.did, limit: '1000' })
  const answer = await fetch(`${network.pds}/xrpc/com.atproto.sync.listBlobs?${query}`)
  const listed = ((await answer.json()) as { cids: string[] }).cids
  expect(listed.filter((cid) => cids.includes(cid))).toEqual([])
})

test('visitors get none of it, in any coding: the addresses of versions and previews are gone', async () => {
  for (const address of addresses) {
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      await eventually(async () => {
        const [status, text] = await visit(address, coding)
        expect([address.href, status]).toEqual([
          address.href,
          address.href.startsWith(live) ? 404 : 410,
        ])
        expect(text).not.toContain(mark)
      })
    }
  }
  expect((await visit(new URL('old', versionUrl)))[0]).toBe(410)
  expect(await visit(new URL(live))).toEqual([200, shared['index.html'] ?? ''])
})

test('a CDN is told to drop its copies, when visitors get none any more', async () => {
  const version = new URL(versionUrl).hostname
  await eventually(async () => {
    const hosts = [version, new URL(live).hostname]
    expect([...purged.keys()]).toEqual(expect.arrayContaining(hosts))
    // What was published before may be told in between, while visitors still get it.
    expect(new Set(purged.get(version))).toEqual(new Set([410]))
  })
})

/** Asks for all addresses of each host before it answers. */
function listeningCdn(): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { hosts } = (await request.json()) as { hosts: string[] }
      for (const host of hosts) {
        const here = addresses.filter(({ hostname }) => hostname === host)
        const visits = await Promise.all(here.map((address) => visit(address)))
        purged.set(
          host,
          visits.map(([status]) => status),
        )
      }
      return new Response(null, { status: 204 })
    },
  })
}

test('no file of ours has it', async () => {
  await eventually(async () => expect(await filesWithMark()).toEqual([]))
})

test('the owner’s routes have it no more', async () => {
  for (const id of [first, draft]) {
    for (const path of ['/files', '/changes', '/archive']) {
      const answer = await call('GET', `/${id}${path}`)
      expect([path, answer.status]).toEqual([path, 404])
    }
  }
  const ids = await idsOf()
  expect([first, draft].filter((id) => ids.includes(id))).toEqual([])
  const exported = await (await alice.fetch('/api/user/export')).text()
  for (const text of [...cids, mark]) expect(exported).not.toContain(text)
})

test('a deploy has to send it again', async () => {
  expect(await missing(alice)).toEqual(
    Object.values({ ...forgotten, ...preview })
      .map(sha256)
      .sort(),
  )
})

test('what is missing of an account’s deploy never depends on what others store', async () => {
  const stored = { ...shared, 'second.html': 'two' }
  expect(await missing(alice, stored)).toEqual([])
  expect(await missing(bob, stored)).toEqual(Object.values(stored).map(sha256).sort())
})

async function missing(client: AppClient, contents: Contents = { ...forgotten, ...preview }) {
  const { deployId, missing } = await new DeployClient(client).begin('diary', contents)
  await client.fetch(`/api/deploys/${deployId}`, { method: 'DELETE' })
  return [...missing].sort()
}

async function blobStatus(cid: string): Promise<number> {
  const query = new URLSearchParams({ did: repo.did, cid })
  const response = await fetch(`${network.pds}/xrpc/com.atproto.sync.getBlob?${query}`)
  await response.arrayBuffer()
  return response.status
}

/** The files in the data folder that have the mark, compressed or not. */
async function filesWithMark(): Promise<string[]> {
  const data = join(dir, 'sitehost')
  const entries = await readdir(data, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name)
    // Files may go meanwhile.
    const bytes = await readFile(path).catch(() => Buffer.alloc(0))
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
    if ((isGzip ? gunzipSync(bytes) : bytes).includes(mark)) found.push(path.slice(data.length))
  }
  return found
}
