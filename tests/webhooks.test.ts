import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import { codeBlocks } from '#tests/support/code-blocks.ts'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { textFile } from '#tests/support/publishing/upload-files.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { eventually } from './support/eventually.ts'

// A real service, and the receiver of docs/webhooks.md.

let dir: string
let network: Network
let service: ServiceProcess
let client: AppClient
let port: string
let receiver: Bun.Subprocess<'ignore', 'pipe', 'inherit'>
/** Lines of the receiver: what it has accepted. */
let accepted = ''
let webhook: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-webhooks-'))
  network = await startSharedDevnet({ dir: join(dir, 'devnet') })
  await killAt('')
  service = await start(await ownPort())
  client = new AppClient(service.ready.app)
  const [alice] = network.accounts
  await client.signIn(alice?.handle ?? '', alice?.password ?? '')
  port = await ownPort()
  const url = `http://127.0.0.1:${port}/`
  const events = ['site.published', 'site.deleted', 'publish.failed']
  const { secret, webhook: added } = await ask<Added>('POST', '/api/webhooks', { url, events })
  webhook = `/api/webhooks/${added.id}`
  await startReceiver(secret)
}, 300_000)
afterAll(async () => {
  receiver?.kill()
  await service?.[Symbol.asyncDispose]()
  await network?.stop()
  await rm(dir, { recursive: true, force: true })
})

interface Added {
  readonly secret: string
  readonly webhook: { readonly id: string }
}

const pointFile = () => join(dir, 'failpoint')
const killAt = (point: string) => Bun.write(pointFile(), point)
const start = (servicePort: string) =>
  startServiceProcess(['serve', '--port', servicePort, '--data', join(dir, 'data')], {
    ...devSettings(network),
    LOG_LEVEL: 'error',
    FAILPOINT_FILE: pointFile(),
  })

async function ask<Answer>(method: string, path: string, json?: object): Promise<Answer> {
  const body = json === undefined ? null : JSON.stringify(json)
  const answer = await client.fetch(path, { method, body })
  expect([path, answer.status]).toEqual([path, 200])
  return (await answer.json()) as Answer
}

async function startReceiver(secret: string): Promise<void> {
  const document = await Bun.file(join(import.meta.dir, '../docs/webhooks.md')).text()
  const program = codeBlocks(document).find((block) => block.includes('createServer')) ?? ''
  expect(program.split('\n').length).toBeLessThanOrEqual(16)
  const file = join(dir, 'receiver.mjs')
  await Bun.write(file, program)
  receiver = Bun.spawn([process.execPath, file], {
    env: { SECRET: secret, PORT: port },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  void (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of receiver.stdout) accepted += decoder.decode(chunk, { stream: true })
  })()
  await eventually(async () => expect(await send({})).toBe(401))
}

/** What the receiver answers to somebody else. */
async function send(headers: Record<string, string>): Promise<number> {
  const init = { method: 'POST', headers, body: '{"type":"site.published"}' }
  return (await fetch(`http://127.0.0.1:${port}/`, init)).status
}

const acceptedOf = (event: string): string[] =>
  accepted.split('\n').filter((line) => line.startsWith(`${event} `))
const index = (text: string) => [textFile('index.html', text)]

test('what is published reaches the receiver of the documentation, signed', async () => {
  await client.publish('blog', index('one'))
  await eventually(async () => expect(acceptedOf('site.published')).toHaveLength(1))
  const [line = ''] = acceptedOf('site.published')
  const [, id = ''] = line.split(' ')
  await eventually(async () => {
    const { deliveries } = await ask<{ deliveries: object[] }>('GET', `${webhook}/deliveries`)
    expect(deliveries).toMatchObject([
      { id, event: 'site.published', rkey: 'blog', state: 'delivered', status: 204, attempts: 1 },
    ])
  })
  const time = String(Math.floor(Date.now() / 1000))
  const forged = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': 'v1,AAAA' }
  expect(await send(forged)).toBe(401)
}, 120_000)

test('a trial is sent at once, and again when it is asked for, with the same id', async () => {
  const { id } = await ask<{ id: string }>('POST', `${webhook}/test`)
  const line = `webhook.test ${id}`
  await eventually(async () => expect(acceptedOf('webhook.test')).toEqual([line]))
  await ask('POST', `${webhook}/deliveries/${id}/redeliver`)
  await eventually(async () => expect(acceptedOf('webhook.test')).toEqual([line, line]))
}, 120_000)

test('what happened before the service was killed is sent when it is back', async () => {
  await killAt('version-recorded')
  expect((await client.upload('blog', index('two'))).status).toBe(200)
  expect(await service.exited).toBe(128 + 9)
  await killAt('')
  service = await start(new URL(service.ready.app).port)
  await eventually(async () => expect(new Set(acceptedOf('site.published')).size).toBe(2))
  // The job continues for a moment.
  await eventually(() => ask('DELETE', '/api/site/blog'))
  await eventually(async () => expect(acceptedOf('site.deleted')).toHaveLength(1))
}, 120_000)
