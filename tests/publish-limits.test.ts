import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Did } from '@atcute/lexicons/syntax'
import { mapAtOnce } from '#concurrency/map-at-once.ts'
import { openDatabase } from '#store/database/database.ts'
import type { JobProgress } from '#store/queues/jobs.ts'
import { expireTokens } from '#tests/support/database/stored-sessions.ts'
import { countCalls, countUploads } from '#tests/support/publishing/count-uploads.ts'
import { type Contents, DeployClient } from '#tests/support/publishing/deploy-client.ts'
import { readSitePlainly } from '#tests/support/publishing/plain-reader.ts'
import { smallFiles } from '#tests/support/publishing/upload-files.ts'
import type { AppClient, UploadFile } from '../devnet/app-client.ts'
import { createSession, putRecord, uploadBlob } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

// What accounts' servers do to those who upload: limits, faults, forgetting, and tokens that expire.
// Alone: a server that restarts has to be there again within the seconds for which its calls are repeated.

const uploadMethod = 'com.atproto.repo.uploadBlob'
const commitMethod = 'com.atproto.repo.applyWrites'
const secret = 'a secret of thirty-two characters'

let world: World
let alice: AppClient

describe('a server that takes 1000 uploads a day from one address', () => {
  beforeAll(async () => {
    world = await startWorld({ countsCalls: true, pdsEnv: { rateLimitsEnabled: true } })
    alice = await world.signedIn('alice.test')
  }, 300_000)
  afterAll(() => world[Symbol.asyncDispose]())

  test('says when to come back, and then nothing is sent twice', async () => {
    const bob = await createSession(world.network.pds, 'bob.test', 'hunter2pass')
    // The same blob each time: what counts is a call.
    const use = async () => void (await uploadBlob(bob, 'a blob of bob'))
    const calls = Array.from({ length: 960 }, (_, i) => i)
    await mapAtOnce(calls, { atOnce: 8, signal: AbortSignal.timeout(120_000) }, use)

    const files = smallFiles(80, 'limited')
    const error = await failureOf(alice, 'limited', files)
    expect(error).toMatch(
      /^Your account’s server takes no more uploads until \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\. /,
    )
    const until = Date.parse(/until (.* GMT)/.exec(error ?? '')?.[1] ?? '')
    expect(until).toBeWithin(Date.now() + 23 * 3_600_000, Date.now() + 25 * 3_600_000)

    await world.restartNetwork() // counts from zero
    const uploads = await countUploads(world)
    const result = await alice.publish('limited', files)
    expect(result).toMatchObject({ uploadedCount: 40, reusedCount: 40 })
    expect(await uploads()).toBe(40)
  }, 120_000)
})

describe('a server', () => {
  beforeAll(async () => {
    world = await startWorld({
      countsCalls: true,
      canFail: true,
      environment: { SECRET_KEY: secret },
    })
    alice = await world.signedIn('alice.test')
  }, 300_000)
  afterAll(() => world[Symbol.asyncDispose]())

  test('that fails, or loses connections, half way: sent again', async () => {
    for (const fault of [{ status: 503 }, { reset: true }, { loseAnswer: true }]) {
      world.network.setFaults({
        [uploadMethod]: { ...fault, after: 10, times: 10 },
        [commitMethod]: { ...fault, times: 1 },
      })
      const files = smallFiles(30, JSON.stringify(fault))
      expect(await alice.publish('faulty', files)).toMatchObject({ fileCount: 30 })
    }
  }, 120_000)

  test('that takes no large commit, and loses the answer to a small one: published', async () => {
    world.network.setFaults({
      [commitMethod]: { status: 413 },
      'com.atproto.repo.putRecord': { loseAnswer: true, times: 1 },
    })
    const result = await alice.publish('answerless', smallFiles(3, 'answerless'))
    expect(result).toMatchObject({ fileCount: 3 })
  }, 120_000)

  test('that takes small commits only: its site and every version are whole', async () => {
    const deploys = new DeployClient(alice)
    world.network.setFaults({ [commitMethod]: { bytesMax: 20_000 } })
    const first = await deploys.deploy('pieces', pagesOf(300, 'first'))
    const second = await deploys.deploy('pieces', { '0.html': 'second' }, { base: 'live' })
    world.network.setFaults({})
    const changed = { ...pagesOf(300, 'first'), '0.html': 'second' }
    expect(await contentsOf('pieces', 'place.sitehost.fs')).toEqual(changed)
    expect(await contentsOf(first.result['versionId'])).toEqual(pagesOf(300, 'first'))
    expect(await contentsOf(second.result['versionId'])).toEqual(changed)
  }, 120_000)

  test('that refuses the second of several commits: the site stays, and then is the next one', async () => {
    const deploys = new DeployClient(alice)
    const { result } = await deploys.deploy('refused', pagesOf(3, 'first'))
    // Long names: the records take more than one commit.
    const pages = pagesOf(2_200, 'next', 'n'.repeat(230))
    world.network.setFaults({ [commitMethod]: { status: 400, after: 1 } })
    const begun = await deploys.begin('refused', pages)
    const { error } = await deploys.finish(begun, pages)
    expect(error).toContain('fault 400')
    world.network.setFaults({})
    expect(await contentsOf('refused', 'place.sitehost.fs')).toEqual(pagesOf(3, 'first'))
    expect(await contentsOf(result['versionId'])).toEqual(pagesOf(3, 'first'))
    const next = await deploys.deploy('refused', pages)
    expect(next.result).toMatchObject({ live: true, versionProblem: null })
    const [path = ''] = Object.keys(pages).slice(-1)
    expect(await pageAt(next.result['url'], path)).toBe('next')
    expect(await pageAt(next.result['versionUrl'], path)).toBe('next')
    expect(await pageAt(result['versionUrl'], '1.html')).toBe('first')
  }, 120_000)

  test('that compares no heads, while another program writes the same site: one whole site, and every version', async () => {
    const deploys = new DeployClient(alice)
    const first = await deploys.deploy('headless', pagesOf(300, 'first'))
    world.network.setFaults({ [commitMethod]: { ignoreSwap: true, hold: true } })
    const begun = await deploys.begin('headless', { '0.html': 'second' }, { base: 'live' })
    const finishing = deploys.finish(begun, { '0.html': 'second' })
    // What is there now has been read; it is written once the server goes on.
    await eventually(async () =>
      expect(await progressOf(begun.deployId)).toMatchObject({ phase: 'creating_manifest' }),
    )
    const repo = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
    const root = { type: 'directory', entries: [] }
    const theirs = { site: 'headless', root, createdAt: new Date().toISOString() }
    await putRecord(repo, 'place.sitehost.fs', 'headless', theirs)
    world.network.setFaults({})
    const { result } = await finishing
    const changed = { ...pagesOf(300, 'first'), '0.html': 'second' }
    expect(await contentsOf('headless', 'place.sitehost.fs')).toEqual(changed)
    expect(await contentsOf(result?.['versionId'])).toEqual(changed)
    expect(await contentsOf(first.result['versionId'])).toEqual(pagesOf(300, 'first'))
    expect(await pageAt(result?.['url'], '0.html')).toBe('second')
    expect(await pageAt(result?.['url'], '299.html')).toBe('first')
    await deploys.deploy('headless', { '1.html': 'third' }, { base: 'live' })
    expect(await contentsOf('headless', 'place.sitehost.fs')).toEqual({
      ...changed,
      '1.html': 'third',
    })
  }, 120_000)

  test('that has dropped what an earlier try sent: that is sent again, and nothing else', async () => {
    const files = smallFiles(30, 'dropped')
    world.network.setFaults({ [commitMethod]: { status: 400 } })
    expect(await failureOf(alice, 'dropped', files)).toContain('fault 400')
    world.network.setFaults({})
    dropUnnamedBlobs('alice.test')
    const uploads = await countUploads(world)
    const more = smallFiles(20, 'new').map((file) => ({ ...file, path: `new/${file.path}` }))
    const result = await alice.publish('dropped', [...files, ...more])
    expect(result).toMatchObject({ fileCount: 50 })
    expect(await uploads()).toBe(50)
  }, 120_000)

  test('whose token expires meanwhile: refreshed', async () => {
    const refreshes = await countCalls(world, '/oauth/token')
    const end = await duringUploads('expiring', () => expireTokensOf('alice.test'))
    expect(end).toMatchObject({ result: { success: true }, error: null })
    expect(await refreshes()).toBeGreaterThan(0)
  }, 120_000)

  test('that restarts, and takes none of its old nonces: goes on', async () => {
    const dpopSecret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
    const end = await duringUploads('restarted', () => world.restartNetwork({ dpopSecret }))
    expect(end).toMatchObject({ result: { success: true }, error: null })
  }, 120_000)

  test('at which the same person signs in again meanwhile: goes on', async () => {
    const end = await duringUploads('again', async () => void (await world.signedIn('alice.test')))
    expect(end).toMatchObject({ result: { success: true }, error: null })
  }, 120_000)
})

/** Pages with the same content. */
const pagesOf = (count: number, content: string, prefix = ''): Contents =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}.html`, content]))

/** As a reader that knows only the specification finds them in the repository. */
async function contentsOf(key: unknown, collection = 'place.sitehost.version'): Promise<Contents> {
  const repo = await createSession(world.network.pds, 'alice.test', 'hunter2pass')
  const files = await readSitePlainly(repo, String(key), collection)
  return Object.fromEntries(files.map(({ path, content }) => [path, content]))
}

const pageAt = async (site: unknown, path: string): Promise<string> =>
  await (await fetch(new URL(path, String(site)))).text()

async function failureOf(
  client: AppClient,
  siteName: string,
  files: readonly UploadFile[],
): Promise<string | null> {
  const answer = await client.upload(siteName, files)
  const { jobId } = (await answer.json()) as { jobId: string }
  return (await client.watch(jobId)).error
}

/** Publishes a site, and when its first uploads are under way, does this before they go on. */
async function duringUploads(siteName: string, meanwhile: () => void | Promise<void>) {
  world.network.setFaults({ [uploadMethod]: { after: 20, hold: true } })
  const answer = await alice.upload(siteName, smallFiles(40, siteName))
  const { jobId } = (await answer.json()) as { jobId: string }
  await eventually(async () =>
    expect((await progressOf(jobId)).filesUploaded).toBeGreaterThanOrEqual(13),
  )
  await meanwhile()
  world.network.setFaults({})
  return await alice.watch(jobId)
}

async function progressOf(jobId: string): Promise<Pick<JobProgress, 'filesUploaded' | 'phase'>> {
  const { db, ...database } = openDatabase({ file: join(world.dataDir, 'sitehost.db') })
  const row = await db.selectFrom('jobs').select('progress').where('id', '=', jobId).execute()
  await database[Symbol.asyncDispose]()
  return JSON.parse(row[0]?.progress ?? '{}')
}

const didOf = (handle: string) =>
  world.network.accounts.find((account) => account.handle === handle)?.did as Did

/** What a server does after a while to blobs that no record came to name. */
function dropUnnamedBlobs(handle: string): void {
  const did = didOf(handle)
  const folder = new Bun.CryptoHasher('sha256').update(did).digest('hex').slice(0, 2)
  using repo = new Database(join(world.networkDir, 'actors', folder, did, 'store.sqlite'))
  repo.run('pragma busy_timeout = 10000') // the server may be writing
  expect(repo.run('delete from blob where tempKey is not null').changes).toBeGreaterThan(0)
}

const expireTokensOf = (handle: string) =>
  expireTokens(didOf(handle), {
    database: { file: join(world.dataDir, 'sitehost.db') },
    secret,
  })
