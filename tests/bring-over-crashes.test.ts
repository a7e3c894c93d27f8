import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import type { FailPoint } from '#publish/fail-points.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { orphanedParts } from '#tests/support/publishing/orphaned-parts.ts'
import { pageUrl, visit } from '#tests/support/visitors/plain-sites.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { createSession, listRecords, type PdsAccount } from './support/accounts.ts'
import { eventually } from './support/eventually.ts'
import {
  putWispPart,
  putWispSite,
  wispEntry,
  wispFile,
  wispPageUrl,
  wispPartNode,
} from './support/visitors/wisp-sites.ts'

// The process is killed while it makes a site of ours from a foreign one. The next start ends the job: there is
// one site with every file, one version record of it, and no part that nothing names.

/** As many as one record of ours cannot hold. */
const fileCount = 261

let dir: string
let network: Network
let repo: PdsAccount
let service: ServiceProcess
let alice: AppClient
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-bring-over-'))
  network = await startSharedDevnet({ dir: join(dir, 'devnet'), canFail: true })
  repo = await createSession(network.pds, 'alice.test', 'hunter2pass')
  const page = await wispFile(repo, 'fs', 'page')
  const pages = Array.from({ length: fileCount - 1 }, (_, i) => wispEntry(`${i}.html`, page))
  await putWispPart(repo, 'deep', wispEntry('deep.txt', await wispFile(repo, 'subfs', 'deep')))
  await dieAt(null)
  await start(await ownPort())
  alice = new AppClient(service.ready.app)
  await alice.signIn('alice.test', 'hunter2pass')
  await putWispSite(repo, 'blog', ...pages, wispEntry('x', wispPartNode(repo, 'fs', 'deep')))
  const theirs = wispPageUrl(service.ready.app, repo.did, 'blog', '/deep.txt')
  await eventually(async () => expect(await visit(theirs)).toBe('deep'), 30_000)
}, 300_000)
afterAll(async () => {
  expect(await service.end('SIGTERM')).toBe(0)
  await network.stop()
  await rm(dir, { recursive: true })
})

const dieAt = (point: FailPoint | null) => Bun.write(join(dir, 'failpoint'), point ?? '')

async function start(port: string | number): Promise<void> {
  const args = ['serve', '--port', String(port), '--data', join(dir, 'data')]
  service = await startServiceProcess(args, {
    ...devSettings(network),
    ALSO_SERVE: 'place.wisp',
    LOG_LEVEL: 'error',
    FAILPOINT_FILE: join(dir, 'failpoint'),
  })
}

const bring = (rkey: string) =>
  alice.fetch('/api/user/foreign-sites/bring-over', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'place.wisp.fs/blog', rkey }),
  })

function jobsOf(rkey: string): string[] {
  using store = new Database(join(dir, 'data/sitehost.db'))
  const jobs = store.query<{ id: string }, [string]>('select id from jobs where site = ?')
  return jobs.all(rkey).map(({ id }) => id)
}

async function expectOneSite(point: FailPoint): Promise<void> {
  const rkey = `killed-${point}`
  await dieAt(point)
  // The answer may be lost with the process.
  await bring(rkey).catch(() => undefined)
  expect(await service.exited).toBe(128 + 9)
  await dieAt(null)
  await start(new URL(service.ready.app).port)

  const [job = '', ...more] = jobsOf(rkey)
  expect(more).toEqual([])
  expect((await alice.watch(job)).result).toMatchObject({ success: true, fileCount })
  expect((await bring(rkey)).status).toBe(409)
  const sites = await listRecords(repo, 'place.sitehost.fs')
  expect(sites.filter((site) => site.rkey.startsWith(rkey))).toHaveLength(1)
  const versions = await listRecords(repo, 'place.sitehost.version')
  expect(versions.filter(({ value }) => (value as { site: string }).site === rkey)).toHaveLength(1)
  expect(await orphanedParts(repo)).toEqual([])
  for (const [path, text] of [['/259.html', 'page'] as const, ['/deep.txt', 'deep'] as const]) {
    expect(await visit(pageUrl(service.ready.app, repo.did, rkey, path))).toBe(text)
  }
}

describe('killed at', () => {
  test.each(['job-started', 'before-commit', 'after-commit', 'before-finish'] as const)(
    '%s',
    expectOneSite,
    60_000,
  )
})

describe('on a server that takes no large commit, killed at', () => {
  beforeAll(() => network.setFaults({ 'com.atproto.repo.applyWrites': { status: 413 } }))
  test.each(['parts-written', 'main-written'] as const)('%s', expectOneSite, 60_000)
})
