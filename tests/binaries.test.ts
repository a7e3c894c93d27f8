import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { devSettings } from '#main/commands/dev-network.ts'
import project from '#package.json'
import { ownPort } from '#tests/support/processes/own-port.ts'
import {
  type ServiceProcess,
  startServiceProcess,
} from '#tests/support/processes/service-process.ts'
import { AppClient } from '../devnet/app-client.ts'
import { startSharedDevnet } from '../devnet/shared.ts'
import type { Network } from '../devnet/start.ts'
import { compileBinary } from '../scripts/build-binaries.ts'

// The one-file binaries of this platform, in an empty folder, on a network of their own.

let dir: string
let network: Network
let service: ServiceProcess
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sitehost-binaries-'))
  const [started] = await Promise.all([
    startSharedDevnet({ dir: join(dir, 'devnet') }),
    compileBinary('sitehost-service', join(dir, 'sitehost-service')),
    compileBinary('sitehost', join(dir, 'sitehost')),
    mkdir(join(dir, 'empty')),
  ])
  network = started
  await Bun.write(join(dir, 'empty/.env'), 'INSTANCE_NAME="From the .env"\n')
  service = await startServiceProcess(
    ['serve', '--port', await ownPort(), '--data', join(dir, 'data')],
    { LOG_LEVEL: 'error', SHUTDOWN_SECONDS_MAX: '0', ...devSettings(network) },
    { program: join(dir, 'sitehost-service'), cwd: join(dir, 'empty') },
  )
}, 120_000)
afterAll(async () => {
  await service?.[Symbol.asyncDispose]()
  await network?.stop()
  await rm(dir, { recursive: true, force: true })
})

const page = '<h1>From a binary</h1>'

async function run(program: string, args: readonly string[], environment = {}) {
  const child = Bun.spawn({
    cmd: [join(dir, program), ...args],
    cwd: join(dir, 'empty'),
    env: { HOME: dir, ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const said = await new Response(child.stdout).text()
  return { code: await child.exited, said, complaints: await new Response(child.stderr).text() }
}

describe('the service', () => {
  test('serves the app, its start page drawn, under the name that .env has', async () => {
    const html = await (await fetch(service.ready.app)).text()
    expect(html).toContain('<title>From the .env</title>')
    expect(html).toMatch(/<form[^>]* action="\/api\/auth\/login"/)
    const links = [...html.matchAll(/(?:src|href)="(\/[^"]*\.(?:js|css|png|woff2))"/g)]
    expect(links.length).toBeGreaterThan(3)
    for (const [, path] of links) {
      expect([path, (await fetch(`${service.ready.app}${path}`)).status]).toEqual([path, 200])
    }
  })

  test('publishes a folder and serves it', async () => {
    const client = new AppClient(service.ready.app)
    await client.signIn('alice.test', 'hunter2pass')
    const files = [{ path: 'index.html', body: new Blob([page]) }]
    const { url } = await client.publish('from-service', files)
    expect(await (await fetch(String(url))).text()).toBe(page)
  })

  test('has the requests to other servers that it may have', async () => {
    const environment = await Bun.file(`/proc/${service.pid}/environ`).text()
    expect(environment.split('\0')).toContain('BUN_CONFIG_MAX_HTTP_REQUESTS=1408')
  })

  test('answers its commands, and says what demo lacks', async () => {
    const data = ['--data', join(dir, 'data')]
    const status = await run('sitehost-service', ['status', '--json', ...data])
    expect(JSON.parse(status.said)).toMatchObject({ version: project.version })
    const demo = await run('sitehost-service', ['demo', ...data])
    expect(demo.complaints).toContain('which a production install does not carry')
  })
})

test('the command line publishes, by its own settings alone, what the service then serves', async () => {
  await Bun.write(join(dir, 'empty/site/index.html'), page)
  await Bun.write(join(dir, 'empty/.env'), 'PLC_URL=http://127.0.0.1:9\n')
  await Bun.write(join(dir, 'empty/bunfig.toml'), 'preload = ["./stranger.ts"]\n')
  const [account] = network.accounts
  const sites = `http://localhost:${new URL(service.ready.app).port}`
  const args = ['deploy', 'site', '--site', 'from-cli', '--wait', sites, '--json']
  const { code, said } = await run('sitehost', args, {
    SITEHOST_HANDLE: account?.handle,
    SITEHOST_APP_PASSWORD: account?.password,
    PLC_URL: network.plc,
    HANDLE_RESOLVER_URL: network.pds,
    ALLOW_PRIVATE_HOSTS: '1',
  })
  expect(code).toBe(0)
  expect(await (await fetch(JSON.parse(said).url)).text()).toBe(page)
})

test.each(['sitehost', 'sitehost-service'])(
  '%s has the licences of what is in it',
  async (program) => {
    const { said } = await run(program, ['--licences'])
    expect(said).toMatch(/^--- commander \d/m)
    expect(said).toContain('JavaScriptCore')
  },
)
