import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ForgetPoint } from '#ingest/fail-points.ts'
import { devSettings } from '#main/commands/dev-network.ts'
import type { FailPoint } from '#publish/fail-points.ts'
import { versionKeyAt } from '#site/version-key.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { type BegunDeploy, DeployClient, sha256 } from '#tests/support/publishing/deploy-client.ts'
import { siteFields, writeSite } from '#tests/support/visitors/plain-sites.ts'
import { filesOfVersion, visibleVersion } from '#tests/support/visitors/visible-version.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import {
  createSession,
  getRecord,
  listRecords,
  type PdsAccount,
  putRecord,
} from './support/accounts.ts'
import { eventually } from './support/eventually.ts'

// The process is killed during deploys, restores and while a version is forgotten. The tests run in this order on one
// service: each starts it again with the next fail point, and first shows that nothing of the last one is lost or left.

const [versions, settings] = ['place.sitehost.version', 'place.sitehost.settings']
const site = 'kept'

interface Version {
  readonly id: string
  readonly url: string
}

let dir: string
let network: Network
let service: ServiceProcess
let app = ''
let client: AppClient
let deploys: DeployClient
let repo: PdsAccount
let url: string
const kept: Version[] = []
let preview: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-version-crashes-'))
  network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: true })
  await start()
  client = new AppClient(app)
  await client.signIn('alice.test', 'hunter2pass')
  deploys = new DeployClient(client)
  repo = await createSession(network.pds, 'alice.test', 'hunter2pass')
  for (const n of [1, 2, 3]) {
    await setCleanUrls(n === 2)
    const { result } = await deploys.deploy(site, filesOfVersion(n))
    kept[n] = { id: String(result['versionId']), url: String(result['versionUrl']) }
    url = String(result['url'])
  }
  preview = versionKeyAt(Date.now(), 0)
  await putRecord(repo, versions, preview, {
    ...(await siteFields(repo, site, filesOfVersion(9))),
    createdAt: new Date().toISOString(),
    alias: 'pr-9',
  })
}, 300_000)
afterAll(async () => {
  await service?.end('SIGKILL')
  await network.stop()
  await rm(dir, { recursive: true })
})

/** On the data of the last one, which is killed if it still runs. */
async function start(failPoint?: FailPoint | ForgetPoint): Promise<void> {
  await service?.end('SIGKILL')
  const port = app === '' ? await ownPort() : new URL(app).port
  const data = join(dir, 'data')
  service = await startServiceProcess(['serve', '--port', port, '--data', data], {
    ...devSettings(network),
    LOG_LEVEL: 'error',
    ...(failPoint && { FAILPOINT: failPoint }),
  })
  app = service.ready.app
}

/** An answer of a service that was to die before it. */
class RefusedError extends Error {}

/** The answer may be lost with the process. */
async function dies(during: () => Promise<unknown>): Promise<void> {
  let refusal = ''
  await during().catch(async (error) => {
    if (!(error instanceof RefusedError)) return
    refusal = error.message
    await service.end('SIGTERM')
  })
  expect({ refusal, exitCode: await service.exited }).toEqual({ refusal: '', exitCode: 128 + 9 })
}

async function setCleanUrls(cleanUrls: boolean): Promise<void> {
  const body = JSON.stringify({ cleanUrls })
  const answer = await client.fetch(`/api/site/${site}/settings`, { method: 'POST', body })
  // Without a site there are none.
  expect(answer.status).toBeOneOf([200, 404])
}

/** Visitors get this version, with these settings; the job that made it live has ended, and its files are gone. */
async function expectLive(version: number, cleanUrls?: boolean): Promise<void> {
  await eventually(async () => {
    expect(await visibleVersion(url)).toBe(version)
    expect(rowsOf('jobs where finished_at is null')).toBe(0)
    expect(await readdir(join(dir, 'data/spool'))).toEqual([])
  })
  if (cleanUrls === undefined) return
  expect(await getRecord(repo, settings, site)).toMatchObject({ cleanUrls })
}

function rowsOf(from: string): number {
  using store = new Database(join(dir, 'data/sitehost.db'), { readonly: true })
  const count = `select count(*) as rows from ${from}`
  return store.query<{ rows: number }, []>(count).get()?.rows ?? Number.NaN
}

const spooledBytes = (id: string): number =>
  Array.from(new Bun.Glob('*').scanSync({ cwd: join(dir, 'data/spool', id), absolute: true }))
    .map((path) => Bun.file(path).size)
    .reduce((sum, size) => sum + size, 0)

describe('a deploy, killed', () => {
  const contents = { ...filesOfVersion(4), 'more.txt': 'more' }
  const [page = '', mark = '', more = ''] = Object.values(contents)
  let begun: BegunDeploy
  const missing = async () => (await deploys.read(begun.deployId))['missing']

  test('before a file that has arrived is recorded, has the ones before', async () => {
    begun = await deploys.begin(site, contents)
    await deploys.send(begun.deployId, page)
    await start('deploy-file-spooled')
    await dies(() => deploys.send(begun.deployId, mark))
    await start('deploy-file-arrived')
    expect(await missing()).toEqual([mark, more].map(sha256).sort())
    expect(spooledBytes(begun.deployId)).toBe(page.length)
  }, 60_000)

  test('before the answer to a file, has that, too', async () => {
    await dies(() => deploys.send(begun.deployId, mark))
    await start('deploy-committing')
    expect(await missing()).toEqual([sha256(more)])
  }, 60_000)

  test('in its commit, is open, with everything that has arrived', async () => {
    await deploys.send(begun.deployId, more)
    await dies(() => deploys.commit(begun.deployId))
    await start('main-written')
    expect(await deploys.read(begun.deployId)).toMatchObject({ state: 'open', missing: [] })
    expect(await visibleVersion(url)).toBe(3)
  }, 60_000)

  test('between the records of its site, on a server that takes no commit, is published', async () => {
    network.setFaults({ 'com.atproto.repo.applyWrites': { status: 413 } })
    await dies(async () => {
      await deploys.commit(begun.deployId)
      await service.exited
    })
    await start()
    network.setFaults({})
    expect(await visibleVersion(url)).toBeOneOf([3, 4])
    const { result } = await client.watch(begun.deployId)
    kept[4] = { id: String(result?.['versionId']), url: String(result?.['versionUrl']) }
    await expectLive(4)
    expect(await getRecord(repo, versions, kept[4].id)).toMatchObject({ manifest: result?.['cid'] })
  }, 60_000)

  test('after the commit of a preview, has it once, on the version that it changes', async () => {
    await start('after-commit')
    const options = { base: kept[2]?.id ?? '', preview: { alias: 'pr-2' } }
    begun = await deploys.begin(site, { 'more.txt': more }, options)
    await dies(async () => {
      await deploys.commit(begun.deployId)
      await service.exited
    })
    await start('forget-committed')
    const { result } = await client.watch(begun.deployId)
    expect(await visibleVersion(String(result?.['previewUrl']))).toBe(2)
    const previews = (await listRecords(repo, versions)).filter(
      ({ value }) => (value as { alias?: string }).alias === 'pr-2',
    )
    expect(previews.map(({ rkey }) => rkey)).toEqual([String(result?.['versionId'])])
    await expectLive(4)
  }, 60_000)
})

describe('forgetting a version, killed', () => {
  const forget = (n: number) =>
    client.fetch(`/api/site/${site}/versions/${kept[n]?.id}`, { method: 'DELETE' })
  const keys = async () => (await listRecords(repo, versions)).map(({ rkey }) => rkey)

  /** Neither its address nor its bytes are there, and nothing is left to do. */
  const expectForgotten = (n: number) =>
    eventually(async () => {
      expect(rowsOf('unfinished_forgets')).toBe(0)
      expect((await fetch(kept[n]?.url ?? '')).status).toBe(410)
      const stored = await readdir(join(dir, 'data/blobs'), { recursive: true })
      const hash = sha256(filesOfVersion(n)['index.html'] ?? '')
      expect(stored.filter((path) => path.replaceAll('/', '').includes(hash))).toEqual([])
    })

  test('after the repository’s commit, can be asked for again', async () => {
    await dies(() => forget(1))
    await start('forget-bytes-removed')
    expect(await keys()).not.toContain(kept[1]?.id)
    await dies(() => forget(1))
  }, 60_000)

  test('after its bytes are removed, is finished a minute later', async () => {
    using store = new Database(join(dir, 'data/sitehost.db'))
    expect(store.run('update unfinished_forgets set begun_at = begun_at - 61000').changes).toBe(1)
    await start('forget-finished')
    await expectForgotten(1)
  }, 60_000)

  test('before the answer, has removed everything', async () => {
    await dies(() => forget(3))
    await start('before-commit')
    await expectForgotten(3)
    await expectLive(4, false)
  }, 60_000)
})

describe('restoring, killed', () => {
  const restore = async (id = '') => {
    const body = JSON.stringify({ settings: true })
    const path = `/api/site/${site}/versions/${id}/restore`
    const answer = await client.fetch(path, { method: 'POST', body })
    if (!answer.ok) throw new RefusedError(`${answer.status} ${await answer.text()}`)
  }

  test('before its commit, goes live with its settings', async () => {
    await dies(() => restore(kept[2]?.id))
    expect(await getRecord(repo, settings, site)).toMatchObject({ cleanUrls: false })
    await start()
    await expectLive(2, true)
  }, 60_000)

  test('after its commit, goes live with its settings', async () => {
    await start('after-commit')
    await dies(() => restore(kept[4]?.id))
    await start('after-commit')
    await expectLive(4, false)
  }, 60_000)

  test('what another program has published, too', async () => {
    await writeSite(repo, site, filesOfVersion(6))
    await eventually(async () => expect(await visibleVersion(url)).toBe(6))
    // As long as a version record of the account is to be read, nobody knows whose this one is.
    const theirs = await eventually(async () => {
      const answer = await client.fetch(`/api/site/${site}/versions?limit=1`)
      const { versions } = (await answer.json()) as { versions: { id: string; by: string }[] }
      expect(versions[0]?.by).toBe('other-program')
      return versions[0]
    })
    const $type = settings
    await putRecord(repo, settings, site, { $type, cleanUrls: true })
    await writeSite(repo, site, filesOfVersion(8))
    await eventually(async () => expect(await visibleVersion(url)).toBe(8))
    await dies(() => restore(theirs?.id))
    await start('after-commit')
    await expectLive(6, false)
  }, 60_000)

  test('a preview, goes live, and is none any more', async () => {
    await dies(() => restore(preview))
    await start()
    await expectLive(9)
    const record = await getRecord(repo, versions, preview)
    expect(record).toMatchObject({ manifest: expect.any(String) })
    expect(record).not.toHaveProperty('alias')
  }, 60_000)
})
