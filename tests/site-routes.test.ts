import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Did, siteLabel } from '#site/site-address.ts'
import { nameOf } from '#tests/support/database/sample-rows.ts'
import { readSitePlainly } from '#tests/support/publishing/plain-reader.ts'
import { firehoseEvents } from '#tests/support/servers/firehose-events.ts'
import type { AppClient, UploadFile } from '../devnet/app-client.ts'
import {
  createSession,
  getRecord,
  listRecords,
  type PdsAccount,
  putRecord,
} from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// Settings and deletion against a real account server: what they leave in the repository, and what visitors see.

const fs = 'place.sitehost.fs'
const subfs = 'place.sitehost.subfs'
const settings = 'place.sitehost.settings'

let world: World
let alice: AppClient
let bob: AppClient
let repo: PdsAccount
let bobs: PdsAccount
beforeAll(async () => {
  world = await startWorld()
  alice = await world.signedIn('alice.test')
  bob = await world.signedIn('bob.test')
  repo = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
  bobs = await createSession(world.network.pds, 'bob.test', 'hunter2pass')
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

const files = (count: number, body: string): UploadFile[] => [
  { path: 'index.html', body: new Blob([body]) },
  ...Array.from({ length: count - 1 }, (_, i) => ({
    path: `${i}.html`,
    // A blob costs their server more than a file.
    body: new Blob([`${body} ${i % 20}`]),
  })),
]

async function ask(client: AppClient, method: string, path: string, body?: object) {
  const init = { method, ...(body && { body: JSON.stringify(body) }) }
  const response = await client.fetch(`/api/site/${path}`, init)
  return [response.status, await response.json()]
}

const deleted = [200, { success: true, message: 'Site deleted successfully' }]
const notFound = [404, { success: false, error: 'Site not found' }]

async function visit(account: PdsAccount, site: string, path = '/'): Promise<string | number> {
  const url = new URL(world.app)
  url.hostname = `${siteLabel({ did: account.did as Did, name: nameOf(site) })}.localhost`
  const response = await fetch(new URL(path, url))
  return response.ok ? await response.text() : response.status
}

const keysOf = async (collection: string, account = repo) =>
  (await listRecords(account, collection)).map(({ rkey }) => rkey)

/** The records that each commit made by `during` touched, as the network was told. */
async function commitsOf(account: PdsAccount, during: () => Promise<unknown>): Promise<string[][]> {
  const [begin, end] = [`begin-${crypto.randomUUID()}`, `end-${crypto.randomUUID()}`]
  await putRecord(account, settings, begin, {})
  await during()
  await putRecord(account, settings, end, {})
  const commits: string[][] = []
  const abort = new AbortController()
  const events = firehoseEvents({
    url: world.network.pds,
    cursor: 0,
    collections: new Set([fs, subfs, settings]),
    signal: abort.signal,
    onProblem: () => {},
  })
  let paths: string[] = []
  for await (const event of events) {
    if (event.kind !== 'site' || event.did !== account.did) continue
    paths.push(`${event.collection}/${event.rkey}`)
    // Of the records of one commit, the last has its number.
    if (event.cursor === null) continue
    if (paths.includes(`${settings}/${end}`)) break
    if (paths.includes(`${settings}/${begin}`)) commits.length = 0
    else commits.push(paths)
    paths = []
  }
  abort.abort()
  return commits
}

describe('settings', () => {
  test('are a record of their own, which other programs read', async () => {
    await alice.publish('settled', files(1, 'settled'))
    const defaults = { indexFiles: ['index.html'], cleanUrls: false, directoryListing: false }
    expect(await ask(alice, 'GET', 'settled/settings')).toEqual([200, defaults])

    const sent = { cleanUrls: true, custom404: 'oops.html', headers: [{ name: 'X-A', value: 'b' }] }
    const [status, body] = await ask(alice, 'POST', 'settled/settings', sent)
    const uri = `at://${repo.did}/${settings}/settled`
    expect([status, body]).toEqual([200, { success: true, uri, cid: expect.any(String) }])
    const record = { $type: settings, ...sent }
    expect(await getRecord(repo, settings, 'settled')).toEqual(record)
    expect(await ask(alice, 'GET', 'settled/settings')).toEqual([200, record])
    expect(await visit(repo, 'settled')).toBe('settled')
  })

  test('said again make no commit; others replace them whole', async () => {
    const sent = { indexFiles: ['start.html'] }
    const first = await ask(alice, 'POST', 'settled/settings', sent)
    const again = () => ask(alice, 'POST', 'settled/settings', sent)
    expect(await commitsOf(repo, async () => expect(await again()).toEqual(first))).toEqual([])
    expect(await getRecord(repo, settings, 'settled')).toEqual({ $type: settings, ...sent })
  })

  test('that another program wrote are read as they are', async () => {
    await putRecord(repo, settings, 'theirs', { cleanUrls: true, theirs: 1 })
    const record = { $type: settings, cleanUrls: true, theirs: 1 }
    expect(await ask(alice, 'GET', 'theirs/settings')).toEqual([200, record])
  })

  test('of a site that is not there cannot be written', async () => {
    expect(await ask(alice, 'POST', 'nowhere/settings', {})).toEqual(notFound)
    expect(await keysOf(settings)).not.toContain('nowhere')
  })
})

describe('a site of 300 files', () => {
  beforeAll(async () => {
    for (const [client, name] of [
      [alice, 'doomed'],
      [alice, 'kept'],
      [bob, 'doomed'],
    ] as const) {
      await client.publish(name, files(300, name))
      await ask(client, 'POST', `${name}/settings`, { cleanUrls: true })
    }
  }, 120_000)

  test('is deleted in one commit, with its parts and settings, and gone', async () => {
    const before = new Set(await keysOf(subfs))
    expect(await visit(repo, 'doomed')).toBe('doomed')
    const commits = await commitsOf(repo, async () => {
      expect(await ask(alice, 'DELETE', 'doomed')).toEqual(deleted)
      await eventually(async () => expect(await visit(repo, 'doomed')).toBe(404))
    })
    const after = await keysOf(subfs)
    const gone = [...before].filter((key) => !after.includes(key))
    expect(gone.length).toBeGreaterThan(0)
    expect(commits.map((paths) => paths.sort())).toEqual([
      [`${fs}/doomed`, `${settings}/doomed`, ...gone.map((key) => `${subfs}/${key}`)].sort(),
    ])
    expect(await getRecord(repo, fs, 'doomed')).toBeUndefined()
    expect(await getRecord(repo, settings, 'doomed')).toBeUndefined()
    const { sites } = (await (await alice.fetch('/api/user/sites')).json()) as { sites: object[] }
    expect(sites).not.toContainEqual(expect.objectContaining({ rkey: 'doomed' }))
  }, 120_000)

  test('is not there a second time', async () => {
    expect(await ask(alice, 'DELETE', 'doomed')).toEqual(notFound)
  })

  test('leaves the other sites, and another account’s of the same name', async () => {
    expect(await visit(repo, 'kept', '/298.html')).toBe('kept 18')
    expect(await readSitePlainly(repo, 'kept')).toHaveLength(300)
    expect(await getRecord(repo, settings, 'kept')).toMatchObject({ cleanUrls: true })
    expect(await visit(bobs, 'doomed', '/298.html')).toBe('doomed 18')
    expect(await readSitePlainly(bobs, 'doomed')).toHaveLength(300)
    expect(await getRecord(bobs, settings, 'doomed')).toMatchObject({ cleanUrls: true })
  }, 120_000)

  test('is nobody else’s to delete or to change', async () => {
    expect(await ask(bob, 'DELETE', 'kept')).toEqual(notFound)
    expect(await ask(bob, 'POST', 'kept/settings', { cleanUrls: false })).toEqual(notFound)
    expect(await ask(world.client(), 'DELETE', 'kept')).toEqual([401, { error: 'Unauthorized' }])
    expect(await visit(repo, 'kept')).toBe('kept')
    expect(await getRecord(repo, settings, 'kept')).toMatchObject({ cleanUrls: true })
  })

  test('leaves a part that another site shows', async () => {
    const subject = /at:[^"]+subfs[^"]+/.exec(
      JSON.stringify(await getRecord(repo, fs, 'kept')),
    )?.[0]
    const node = { type: 'subfs', subject, flat: false }
    await putRecord(repo, fs, 'sharing', {
      site: 'sharing',
      root: { type: 'directory', entries: [{ name: 'shared', node }] },
      createdAt: new Date().toISOString(),
    })
    const shared = await readSitePlainly(repo, 'sharing')
    const { path, content } = shared[0] ?? { path: '', content: '' }
    const isShown = async () => expect(await visit(repo, 'sharing', `/${path}`)).toBe(content)
    await eventually(isShown)

    expect(await ask(alice, 'DELETE', 'kept')).toEqual(deleted)
    expect(await keysOf(subfs)).toEqual([subject?.split('/').at(-1) ?? ''])
    expect(await readSitePlainly(repo, 'sharing')).toEqual(shared)
    await isShown()
  }, 120_000)

  test('can be published again under its name', async () => {
    expect(await alice.publish('doomed', files(2, 'risen'))).toMatchObject({ fileCount: 2 })
    expect(await visit(repo, 'doomed')).toBe('risen')
    const [, body] = await ask(alice, 'GET', 'doomed/settings')
    expect(body).toMatchObject({ cleanUrls: false })
  })
})
