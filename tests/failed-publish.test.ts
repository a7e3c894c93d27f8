import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { runCommand } from '#tests/support/processes/run-command.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { cookieHeader } from './support/api.ts'
import { eventually } from './support/eventually.ts'

// "Which publish failed, for whom, why?": by grep alone, and by one search of an administrator.

const password = 'correct horse battery'

let dir: string
let network: Network
let service: ServiceProcess
const start = () =>
  startServiceProcess(['serve', '--port', '0', '--data', join(dir, 'sitehost')], {
    ...devSettings(network),
    LOG_FORMAT: 'text',
  })
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-log-'))
  network = await startSharedDevnet({
    dir: join(dir, 'devnet'),
    canFail: false,
    pdsEnv: { blobUploadLimit: 1024 * 1024 },
  })
  service = await start()
}, 300_000)
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  await network.stop()
  await rm(dir, { recursive: true, force: true })
})

async function administrator(): Promise<string> {
  const body = JSON.stringify({ username: 'ruth', password })
  const login = `${service.ready.app}/api/admin/login`
  const response = await fetch(login, { method: 'POST', body })
  return cookieHeader(response.headers.getSetCookie())
}

interface Found {
  readonly message: string
  readonly traceId: string | null
  readonly context: Readonly<Record<string, unknown>>
}

async function search(words: string, cookie: string): Promise<Found[]> {
  const url = `${service.ready.app}/api/admin/logs?search=${encodeURIComponent(words)}`
  const { logs } = (await (await fetch(url, { headers: { cookie } })).json()) as { logs: Found[] }
  return logs
}

test('a failed publish is found by grep and by one search, also after a restart', async () => {
  const alice = new AppClient(service.ready.app)
  await alice.signIn('alice.test', 'hunter2pass')
  const noise = crypto.getRandomValues(new Uint8Array(65_536))
  const big = { path: 'film.mp4', body: new Blob(Array(33).fill(noise)) }
  const upload = await alice.upload('film', [textFile('index.html', '<h1>film</h1>'), big])
  const { jobId } = (await upload.json()) as { jobId: string }
  const { error } = await alice.watch(jobId)
  const did = network.accounts.find(({ handle }) => handle === 'alice.test')?.did ?? ''

  const added = await runCommand(
    ['admin', 'add', 'ruth', '--data', join(dir, 'sitehost')],
    {},
    `${password}\n`,
  )
  expect(added.code).toBe(0)
  const facts = { job: jobId, did, site: 'film', reason: error }
  const cookie = await administrator()
  await eventually(async () => {
    expect(await search(`publish failed ${did}`, cookie)).toMatchObject([
      { message: 'publish failed', context: facts },
    ])
  })
  const [failed] = await search(jobId, cookie)
  const traced = await search(upload.headers.get('x-request-id') ?? '', cookie)
  expect(failed?.traceId).toBe(upload.headers.get('x-request-id'))
  expect(traced.map(({ message }) => message)).toEqual(['publish failed', 'publish started'])

  await service.end('SIGTERM')
  const lines = (await service.complaints()).split('\n')
  const grepped = lines.filter((line) => line.includes('publish failed'))
  expect(grepped).toHaveLength(1)
  for (const fact of [`job=${jobId}`, `did=${did}`, 'site=film', `reason="${error}"`]) {
    expect(grepped[0]).toContain(fact)
  }
  service = await start()
  expect(await search(`failed ${jobId}`, await administrator())).toMatchObject([{ context: facts }])
}, 300_000)
