import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import type { FailPoint } from '#publish/fail-points.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import { startServiceProcess } from '#tests/support/processes/service-process.ts'
import { countCalls, countUploads } from '#tests/support/publishing/count-uploads.ts'
import { type Contents, DeployClient } from '#tests/support/publishing/deploy-client.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { AppClient } from '../devnet/app-client.ts'
import { eventually } from './support/eventually.ts'
import { startWorld, type World } from './support/world.ts'

let world: World
let client: AppClient
let alice: DeployClient
beforeAll(async () => {
  world = await startWorld({ countsCalls: true })
  client = await world.signedIn('alice.test')
  alice = new DeployClient(client)
}, 300_000)
afterAll(() => world[Symbol.asyncDispose]())

/** What visitors get at these paths; null for 404. */
async function seen(url: unknown, ...paths: string[]): Promise<Record<string, string | null>> {
  const entries = paths.map(async (path) => {
    const answer = await fetch(new URL(path, String(url)))
    const text = await answer.text()
    return [path, answer.status === 404 ? null : text] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

const expectSeen = (url: unknown, expected: Record<string, string | null>): Promise<void> =>
  eventually(async () => expect(await seen(url, ...Object.keys(expected))).toEqual(expected))

const pagesOf = (count: number, about: string): Contents =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`p/${i}.html`, `${about} ${i % 30}`] as const),
  )

test('a whole site, then nothing of it again, then only what has changed', async () => {
  const site = { 'index.html': 'one', ...pagesOf(300, 'page'), 'copy.html': 'one' }
  const fetched = await countCalls(world, 'com.atproto.sync.getBlob')
  const first = await alice.deploy('whole', site)
  expect(first.sent).toBe(31)
  expect(first.result).toMatchObject({ success: true, fileCount: 302, uploadedCount: 31 })
  await expectSeen(first.result['url'], { '': 'one', 'p/299.html': 'page 29', 'copy.html': 'one' })

  const uploads = await countUploads(world)
  const again = await alice.deploy('whole', site)
  expect([again.sent, await uploads(), again.result['cid']]).toEqual([0, 0, first.result['cid']])

  const message = 'The second page'
  const options = { base: 'live', message } as const
  const changed = await alice.deploy('whole', { 'index.html': 'two' }, options)
  expect([changed.sent, await uploads()]).toEqual([1, 1])
  expect(changed.result).toMatchObject({ fileCount: 302, uploadedCount: 1 })
  await eventually(async () => {
    const answer = await client.fetch('/api/site/whole/versions')
    const { versions } = (await answer.json()) as { versions: unknown[] }
    expect(versions[0]).toMatchObject({ id: changed.result['versionId'], message })
  })
  // Ingest has read it all, and has had every file already.
  expect(await fetched()).toBe(0)
  await expectSeen(changed.result['url'], {
    ...{ '': 'two', 'p/299.html': 'page 29', 'copy.html': 'one' },
  })
}, 120_000)

test('a folder becomes exactly these files; files and folders are removed', async () => {
  const site = { 'index.html': 'home', 'docs/a.html': 'a', 'docs/b/c.html': 'c', 'x.txt': 'x' }
  await alice.deploy('folders', site)
  const docs = { 'b/c.html': 'c', 'new.html': 'new' }
  const into = await alice.deploy('folders', docs, { base: 'live', into: 'docs' })
  expect([into.sent, into.result['fileCount']]).toEqual([1, 4])
  await expectSeen(into.result['url'], {
    ...{ '': 'home', 'x.txt': 'x', 'docs/a.html': null, 'docs/b/c.html': 'c' },
    'docs/new.html': 'new',
  })
  const remove = ['docs/b', 'x.txt']
  const removed = await alice.deploy('folders', {}, { base: 'live', remove })
  expect(removed.result).toMatchObject({ fileCount: 2, uploadedCount: 0 })
  await expectSeen(removed.result['url'], {
    ...{ '': 'home', 'docs/new.html': 'new', 'x.txt': null, 'docs/b/c.html': null },
  })
}, 120_000)

test('the settings of a sitehost.json apply together with the files', async () => {
  const site = { 'about.html': 'about', 'sitehost.json': '{ "settings": { "cleanUrls": true } }' }
  const { result } = await alice.deploy('configured', site)
  expect(result['fileCount']).toBe(1)
  await expectSeen(result['url'], { about: 'about', 'sitehost.json': null })
}, 60_000)

describe('of two deploys on one base one is refused, and nothing is lost:', () => {
  test('at the commit, when the other one is visible', async () => {
    await alice.deploy('raced', { 'index.html': 'first' })
    const [a, b] = [{ 'a.html': 'of a' }, { 'b.html': 'of b' }]
    const begunA = await alice.begin('raced', a, { base: 'live' })
    const begunB = await alice.begin('raced', b, { base: 'live' })
    const { result } = await alice.finish(begunB, b)
    await expectSeen(result?.['url'], { '': 'first', 'b.html': 'of b' })
    await alice.send(begunA.deployId, 'of a')
    expect(await alice.commit(begunA.deployId)).toEqual([
      409,
      { error: expect.stringContaining('has changed since the deploy began') },
    ])
    const again = await alice.deploy('raced', a, { base: 'live' })
    expect(again.sent).toBe(1)
    await expectSeen(again.result['url'], { '': 'first', 'a.html': 'of a', 'b.html': 'of b' })
  }, 60_000)

  test('by its job, when the other one was another program', async () => {
    const { result: first } = await alice.deploy('raced-late', { 'index.html': 'first' })
    const begun = await alice.begin('raced-late', { 'a.html': 'late' }, { base: 'live' })
    await client.publish('raced-late', [textFile('index.html', 'second')])
    await world.restart({}, async () => {
      // As if ingest had not seen it.
      const { Database } = await import('bun:sqlite')
      using store = new Database(join(world.dataDir, 'sitehost.db'))
      store.run("delete from versions where name = 'raced-late' and state = 'live'")
    })
    const { error } = await alice.finish(begun, { 'a.html': 'late' })
    expect(error).toContain('changed by another program')
    await client.fetch('/api/user/sync', { method: 'POST' })
    await expectSeen(first['url'], { '': 'second', 'a.html': null })
  }, 60_000)
})

test('only the account’s own content is not missing', async () => {
  const bob = new DeployClient(await world.signedIn('bob.test'))
  const site = { 'index.html': 'a secret of alice' }
  await alice.deploy('secret', site)
  const { missing } = await bob.begin('guess', site)
  expect(missing).toHaveLength(1)
  expect((await alice.begin('other', site)).missing).toEqual([])
})

test('content that has gone meanwhile opens the deploy again', async () => {
  const kept = { 'index.html': 'held '.repeat(100) }
  await alice.deploy('source', kept)
  const site = { ...kept, 'more.html': 'more of it' }
  const begun = await alice.begin('target', site)
  expect(begun.missing).toHaveLength(1)
  expect((await client.fetch('/api/site/source', { method: 'DELETE' })).status).toBe(200)
  const { error } = await alice.finish(begun, site)
  expect(error).toContain('no longer has the content of index.html')
  const { state, missing } = await alice.read(begun.deployId)
  expect([state, missing]).toEqual(['open', [expect.any(String)]])
  const again = { ...begun, missing: missing as string[] }
  const { result } = await alice.finish(again, site)
  expect(result).toMatchObject({ fileCount: 2, uploadedCount: 2 })
  await expectSeen(result?.['url'], { '': kept['index.html'], 'more.html': 'more of it' })
}, 60_000)

describe('a service that is killed', () => {
  let dir: string
  let app = ''
  let owner: AppClient
  let deploys: DeployClient
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sitehost-deploys-'))
  })
  afterAll(() => rm(dir, { recursive: true }))

  const start = async (failPoint?: FailPoint) => {
    const port = app === '' ? await ownPort() : new URL(app).port
    const service = await startServiceProcess(['serve', '--port', port, '--data', dir], {
      ...devSettings(world.network),
      LOG_LEVEL: 'error',
      ...(failPoint && { FAILPOINT: failPoint }),
    })
    app = service.ready.app
    return service
  }
  const spooled = () => readdir(join(dir, 'spool'))

  test('continues with what has arrived', async () => {
    const site = pagesOf(10, 'killed')
    const contents = Object.values(site)
    let begun: Awaited<ReturnType<DeployClient['begin']>>
    {
      await using service = await start()
      owner = new AppClient(app)
      await owner.signIn('carol.test', 'hunter2pass')
      deploys = new DeployClient(owner)
      begun = await deploys.begin('killed', site)
      for (const content of contents.slice(0, 6)) await deploys.send(begun.deployId, content)
      await service.end('SIGKILL')
    }
    await using _ = await start()
    const { missing } = await deploys.read(begun.deployId)
    expect(missing).toHaveLength(4)
    const { result } = await deploys.finish({ ...begun, missing: missing as string[] }, site)
    expect(result).toMatchObject({ fileCount: 10 })
    await eventually(async () => expect(await spooled()).toEqual([]))
  }, 60_000)

  describe('makes a change once, killed', () => {
    const points = ['job-queued', 'after-commit'] as const
    const siteOf = (point: string) => ({ name: `at-${point}`, page: `changed at ${point}` })
    const begun = new Map<string, string>()
    beforeAll(async () => {
      await using _ = await start()
      for (const point of points) {
        const { name, page } = siteOf(point)
        await deploys.deploy(name, { 'index.html': 'first', 'old.html': 'old', 'same.html': name })
        const change = { base: 'live', remove: ['old.html'] } as const
        const { deployId } = await deploys.begin(name, { 'index.html': page }, change)
        await deploys.send(deployId, page)
        begun.set(point, deployId)
      }
    }, 60_000)

    test.each(points)(
      'at %s',
      async (point) => {
        const { name, page } = siteOf(point)
        const deployId = begun.get(point) ?? ''
        {
          await using service = await start(point)
          // The answer may be lost with the process.
          await deploys.commit(deployId).catch(() => undefined)
          expect(await service.exited).toBe(128 + 9)
        }
        await using _ = await start()
        expect(await deploys.commit(deployId)).toEqual([200, { success: true, jobId: deployId }])
        const { result, error } = await owner.watch(deployId)
        expect([result, error]).toMatchObject([{ fileCount: 2 }, null])
        await expectSeen(result?.['url'], { '': page, 'old.html': null, 'same.html': name })
        await eventually(async () => expect(await spooled()).not.toContain(deployId))
      },
      60_000,
    )
  })
})
